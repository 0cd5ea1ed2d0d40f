"""The sections of the page, built from a report; they draw, so they are loaded only when a page is written."""
