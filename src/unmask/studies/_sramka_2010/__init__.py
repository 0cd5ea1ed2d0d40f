"""Parts of the experiment of Sramka, Safavi-Naini, Denzinger 2010, one file each."""
