# Calls an API as Google's library does: client.py KEY_FILE URL
# Proxy and CA come from the environment: HTTPS_PROXY, HTTP_PROXY, REQUESTS_CA_BUNDLE.
import sys

from google.auth import compute_engine
from google.auth.transport.requests import AuthorizedSession, Request
from google.oauth2 import service_account

scopes = ["https://www.googleapis.com/auth/devstorage.read_only"]
key = service_account.Credentials.from_service_account_file(sys.argv[1], scopes=scopes)
response = AuthorizedSession(key).get(sys.argv[2])
print("key", response.status_code, response.text, key.token)

metadata = compute_engine.Credentials()
metadata.refresh(Request())
response = AuthorizedSession(metadata).get(sys.argv[2])
print("metadata", response.status_code, response.text, metadata.token, metadata.service_account_email)
