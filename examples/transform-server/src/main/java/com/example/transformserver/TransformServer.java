package com.example.transformserver;

import com.google.protobuf.ByteString;
import dev.sallyport.transform.v1.HeaderValues;
import dev.sallyport.transform.v1.HttpRequest;
import dev.sallyport.transform.v1.HttpResponse;
import dev.sallyport.transform.v1.TransformAction;
import dev.sallyport.transform.v1.TransformRequestRequest;
import dev.sallyport.transform.v1.TransformRequestResponse;
import dev.sallyport.transform.v1.TransformResponseRequest;
import dev.sallyport.transform.v1.TransformResponseResponse;
import dev.sallyport.transform.v1.TransformServiceGrpc;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A transform server, which Sallyport's {@code grpc} transform asks about requests and responses. It refuses DELETE,
 * hides card numbers in JSON bodies, marks what it has seen with a header, and adds annotations to the audit record.
 */
public final class TransformServer extends TransformServiceGrpc.TransformServiceImplBase {

    private static final Pattern CARD = Pattern.compile("(\"card_number\"\\s*:\\s*\")([0-9]*)([0-9]{4}\")");
    private static final HeaderValues MARK =
            HeaderValues.newBuilder().addValues("card-policy").build();

    @Override
    public void transformRequest(TransformRequestRequest question, StreamObserver<TransformRequestResponse> to) {
        HttpRequest request = question.getRequest();
        to.onNext(request.getMethod().equals("DELETE") ? refusal(request) : passage(request));
        to.onCompleted();
    }

    private static TransformRequestResponse refusal(HttpRequest request) {
        return TransformRequestResponse.newBuilder()
                .setAction(TransformAction.TRANSFORM_ACTION_REJECT)
                .setResponse(HttpResponse.newBuilder()
                        .setStatusCode(405)
                        .putHeaders(
                                "Content-Type",
                                HeaderValues.newBuilder()
                                        .addValues("application/json")
                                        .build())
                        .setBody(ByteString.copyFromUtf8("{\"error\": \"nothing may be deleted\"}")))
                .putAnnotations("refused", request.getMethod())
                .build();
    }

    private static TransformRequestResponse passage(HttpRequest request) {
        // Headers replace the whole set, so start with those that were sent. Unset parts stay unchanged.
        HttpRequest.Builder modified =
                HttpRequest.newBuilder().putAllHeaders(request.getHeadersMap()).putHeaders("X-Checked-By", MARK);
        TransformRequestResponse.Builder answer =
                TransformRequestResponse.newBuilder().setAction(TransformAction.TRANSFORM_ACTION_CONTINUE);
        Matcher cards = CARD.matcher(request.getBody().toStringUtf8());
        long count = cards.results().count();
        if (count > 0) {
            String hidden =
                    cards.replaceAll(card -> card.group(1) + "*".repeat(card.group(2).length()) + card.group(3));
            modified.setBody(ByteString.copyFromUtf8(hidden));
            answer.putAnnotations("cards_hidden", Long.toString(count));
        }
        return answer.setModifiedRequest(modified).build();
    }

    @Override
    public void transformResponse(TransformResponseRequest question, StreamObserver<TransformResponseResponse> to) {
        to.onNext(TransformResponseResponse.newBuilder()
                .setAction(TransformAction.TRANSFORM_ACTION_CONTINUE)
                .setModifiedResponse(HttpResponse.newBuilder()
                        .putAllHeaders(question.getResponse().getHeadersMap())
                        .removeHeaders("Server")
                        .putHeaders("X-Checked-By", MARK))
                .build());
        to.onCompleted();
    }

    /** The port to listen on; 0 for any, default 9000. */
    public static void main(String... arguments) throws IOException, InterruptedException {
        int port = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 9000;
        Server server = Grpc.newServerBuilderForPort(port, InsecureServerCredentials.create())
                .addService(new TransformServer())
                .build()
                .start();
        System.out.println("listening on port " + server.getPort());
        server.awaitTermination();
    }
}
