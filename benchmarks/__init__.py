"""Speed against a peer, both run side by side in the same process on the same input; only ratios are reported."""
