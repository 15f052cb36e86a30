# Calls a service as Google's library does on a machine of the cloud: identity.py AUDIENCE URL
# Proxy and CA come from the environment: HTTPS_PROXY, HTTP_PROXY, REQUESTS_CA_BUNDLE.
import sys

from google.auth import compute_engine
from google.auth.transport.requests import AuthorizedSession, Request

credentials = compute_engine.IDTokenCredentials(
    Request(), target_audience=sys.argv[1], use_metadata_identity_endpoint=True
)
response = AuthorizedSession(credentials).get(sys.argv[2])
print("identity", response.status_code, response.text, credentials.token.endswith("."), credentials.expired)
