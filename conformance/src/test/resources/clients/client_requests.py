# Sends one request through a tunnel with requests: client_requests.py PROXY_PORT ORIGIN_PORT CA_FILE
import sys

import requests

session = requests.Session()
session.trust_env = False
session.verify = sys.argv[3]
session.proxies = {"https": "http://127.0.0.1:" + sys.argv[1]}
response = session.post("https://localhost:" + sys.argv[2] + "/matrix/a%20b?q=1&r=%2F", data=b"hello, origin\n", timeout=20)
print(response.status_code, response.text)
