"""What a diagnosis needs to know once a symptom is seen, one question to a file. See `stetho.question`."""
