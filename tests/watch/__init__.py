"""Tests of watching facts as they come."""
