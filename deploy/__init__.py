"""Deployment: the scripts, their steps in Python, and configuration files for servers of your own."""
