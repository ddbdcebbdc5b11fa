"""`market bench`: measures an OpenAI-compatible endpoint and writes a bench report.

How it hangs together: ``target`` says what is measured and ``plan`` in which order; ``endpoint`` sends a
request and keeps every read with its time; ``reply`` turns that into figures; ``alarms`` looks at the series
after each run; ``store`` writes the report after each run; ``commands`` is the command line.
"""
