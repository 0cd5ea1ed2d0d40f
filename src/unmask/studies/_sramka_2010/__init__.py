"""The experiment of Sramka, Safavi-Naini, Denzinger 2010, one file each."""
