# Sends one request through a tunnel: client.py PROXY_PORT ORIGIN_PORT CA_FILE
import http.client, ssl, sys

context = ssl.create_default_context(cafile=sys.argv[3])
connection = http.client.HTTPSConnection("127.0.0.1", int(sys.argv[1]), context=context, timeout=20)
connection.set_tunnel("localhost", int(sys.argv[2]))
connection.request(
    "POST",
    "/matrix/a%20b?q=1&r=%2F",
    body=b"hello, origin\n",
    headers={
        "Accept": "application/json",
        "Content-Type": "text/plain",
        "Authorization": "Bearer PLACEHOLDER_TOKEN",
        "X-One": "1",
    },
)
response = connection.getresponse()
print(response.status, response.read().decode())
