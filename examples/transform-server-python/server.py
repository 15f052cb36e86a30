"""A transform server: what Sallyport's `grpc` transform asks about requests and responses.

It refuses DELETE, hides card numbers in JSON bodies, marks what it has seen with a header, and leaves notes for the audit
record. It is written against transform.proto and nothing else.
"""

import json
import signal
import sys
from concurrent import futures

import grpc

from transform.v1 import transform_pb2 as api
from transform.v1 import transform_pb2_grpc as service


class CardPolicy(service.TransformServiceServicer):
    def TransformRequest(self, question, context):
        request = question.request
        if request.method == "DELETE":
            return self.refusal(request)

        # Headers replace the whole set: begin with those that were sent.
        answer = api.TransformRequestResponse(action=api.TRANSFORM_ACTION_CONTINUE)
        for name, field in request.headers.items():
            answer.modified_request.headers[name].CopyFrom(field)
        answer.modified_request.headers["X-Checked-By"].values.append("card-policy")

        body, hidden = hide_cards(request)
        if hidden:
            answer.modified_request.body = body
            answer.annotations["cards_hidden"] = str(hidden)
        return answer

    def TransformResponse(self, question, context):
        answer = api.TransformResponseResponse(action=api.TRANSFORM_ACTION_CONTINUE)
        for name, field in question.response.headers.items():
            if name != "Server":  # what is left out is removed
                answer.modified_response.headers[name].CopyFrom(field)
        answer.modified_response.headers["X-Checked-By"].values.append("card-policy")
        return answer

    @staticmethod
    def refusal(request):
        answer = api.TransformRequestResponse(action=api.TRANSFORM_ACTION_REJECT)
        answer.response.status_code = 405
        answer.response.headers["Content-Type"].values.append("application/json")
        answer.response.body = json.dumps({"error": "nothing may be deleted"}).encode()
        answer.annotations["refused"] = request.method
        return answer


def hide_cards(request):
    """The body with all but the last four digits of each card number hidden, and how many there were."""
    kind = request.headers["Content-Type"].values if "Content-Type" in request.headers else []
    if not request.body or not any("json" in value for value in kind):
        return request.body, 0
    hidden = 0

    def visit(fields):
        nonlocal hidden
        number = fields.get("card_number")
        if isinstance(number, str):
            fields["card_number"] = "*" * (len(number) - 4) + number[-4:]
            hidden += 1
        return fields

    return json.dumps(json.loads(request.body, object_hook=visit)).encode(), hidden


def main():
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=16))
    service.add_TransformServiceServicer_to_server(CardPolicy(), server)
    port = server.add_insecure_port(sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:9000")
    server.start()
    signal.signal(signal.SIGTERM, lambda *_: server.stop(grace=1))
    print(f"listening on port {port}", flush=True)
    server.wait_for_termination()


if __name__ == "__main__":
    main()
