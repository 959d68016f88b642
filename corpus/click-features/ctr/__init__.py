"""Click-through prediction on categorical impressions."""
