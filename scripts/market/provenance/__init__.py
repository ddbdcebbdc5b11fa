"""Where a market comes from: the digests of what is served, and who vouches for them."""
