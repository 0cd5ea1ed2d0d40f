"""Ready hierarchies of standard codes and numbers: one family of codes a module, by name in `all_presets`."""
