"""Held-out sets: their kinds, how splits are drawn, and which rows they train on and predict.

This room knows arrays only: nothing here knows a table's columns, a learner or a file of a task
other than its split files.
"""
