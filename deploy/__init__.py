"""Putting the site onto machines: scripts, the steps behind them, and files for servers of your own."""
