"""What bench/taxa-accuracy is made of: the taxonomy, exclusion sets, pairs of known origin, scores."""
