"""The protocol's paths, by what they are about."""
