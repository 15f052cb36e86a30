package dev.sallyport.transforms.grpc;

import dev.sallyport.spi.StubResponse;
import dev.sallyport.transform.v1.HeaderValues;
import dev.sallyport.transform.v1.HttpResponse;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A refusal by a server.
 *
 * @param status 400 to 599; 403 where the server gives a response of another class, such as a redirect
 * @param response what the client gets, or null for a problem document
 */
record Rejection(int status, @Nullable StubResponse response) {

    static final String CODE = "transform_rejected";
    static final String DETAIL = "The policy refused this exchange.";

    /** Reads the response in an answer; the default instance when there is none. */
    static Rejection of(HttpResponse answer) throws InvalidAnswerException {
        int given = answer.getStatusCode() == 0 ? 403 : answer.getStatusCode();
        if (given < 200 || given > 599) {
            throw new InvalidAnswerException("status " + given + " (expected: 200 to 599)");
        }
        int status = given < 400 ? 403 : given;
        boolean bare = answer.getHeadersMap().isEmpty() && answer.getBody().isEmpty();
        return new Rejection(status, bare && given >= 400 ? null : response(given, answer));
    }

    private static StubResponse response(int status, HttpResponse answer) throws InvalidAnswerException {
        StubResponse.Builder response =
                StubResponse.status(status).body(answer.getBody().toByteArray());
        for (Map.Entry<String, HeaderValues> field : answer.getHeadersMap().entrySet()) {
            List<String> values = field.getValue().getValuesList();
            boolean coding = field.getKey().equalsIgnoreCase("Content-Encoding");
            if (coding || !Fields.isReserved(field.getKey())) {
                Fields.check(field.getKey(), values);
                values.forEach(value -> response.header(field.getKey(), value));
            }
        }
        return response.build();
    }
}
