import json
import sys

from coins.experiment import Experiment

overrides = json.load(open(sys.argv[1])) if len(sys.argv) > 1 else {}
Experiment(**overrides).run()
