"""What bench/run is made of: cases (what is run), measure (how), report (the table)."""
