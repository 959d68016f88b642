"""Read-only HTTP front of the scan archive. Writes its port to the file given, then serves until it is ended."""
import configparser
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

conf = configparser.ConfigParser()
conf.read("gateway.ini")
ROOT = conf["gateway"]["root"]
RATE = conf["client"].getfloat("rate") * 1024


class Sheets(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        path = os.path.join(ROOT, os.path.basename(self.path))
        if not os.path.exists(path):
            self.send_error(404)
            return
        with open(path, "rb") as f:
            body = f.read()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.flush()
        for at in range(0, len(body), 1024):
            chunk = body[at:at + 1024]
            time.sleep(len(chunk) / RATE)
            self.wfile.write(chunk)

    def log_message(self, *args):
        pass


server = ThreadingHTTPServer((conf["gateway"]["address"], 0), Sheets)
server.daemon_threads = True
with open(sys.argv[1] + ".tmp", "w") as f:
    f.write(str(server.server_port))
os.replace(sys.argv[1] + ".tmp", sys.argv[1])
server.serve_forever()
