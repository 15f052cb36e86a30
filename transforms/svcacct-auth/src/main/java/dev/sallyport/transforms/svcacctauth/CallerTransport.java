package dev.sallyport.transforms.svcacctauth;

import com.google.api.client.http.HttpTransport;
import com.google.api.client.http.LowLevelHttpRequest;
import com.google.api.client.http.LowLevelHttpResponse;
import dev.sallyport.spi.Headers;
import dev.sallyport.spi.HttpCall;
import dev.sallyport.spi.HttpCaller;
import dev.sallyport.spi.HttpReply;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Sends the library's requests through the proxy's own HTTP client. Waits on the calling thread. Thread-safe. */
final class CallerTransport extends HttpTransport {

    private static final int MAX_REPLY = 256 << 10;

    private final HttpCaller http;

    CallerTransport(HttpCaller http) {
        this.http = http;
    }

    @Override
    protected LowLevelHttpRequest buildRequest(String method, String url) {
        return new Request(method, url);
    }

    /** There was no reply. */
    static final class NoReplyException extends IOException {

        private static final long serialVersionUID = 1L;

        private final boolean late;

        NoReplyException(boolean late) {
            super(late ? "no reply in time" : "no reply");
            this.late = late;
        }

        /** Whether the reply was late. */
        boolean isLate() {
            return late;
        }
    }

    /** Confined to one thread. */
    private final class Request extends LowLevelHttpRequest {

        private final String method;
        private final String url;
        private final List<Map.Entry<String, String>> headers = new ArrayList<>();

        Request(String method, String url) {
            this.method = method;
            this.url = url;
        }

        @Override
        public void addHeader(String name, String value) {
            headers.add(Map.entry(name, value));
        }

        @Override
        public LowLevelHttpResponse execute() throws IOException {
            HttpCall.Builder call;
            try {
                call = HttpCall.to(method, URI.create(url))
                        .timeout(SvcacctAuthFactory.CALL_TIMEOUT)
                        .maxReplyBytes(MAX_REPLY);
            } catch (IllegalArgumentException e) {
                throw new IOException("not a URL that can be called", e);
            }
            for (Map.Entry<String, String> header : headers) {
                if (!header.getKey().equalsIgnoreCase("Accept-Encoding")) {
                    call.header(header.getKey(), header.getValue());
                }
            }
            if (getStreamingContent() != null) {
                ByteArrayOutputStream body = new ByteArrayOutputStream();
                getStreamingContent().writeTo(body);
                add(call, "Content-Type", getContentType());
                add(call, "Content-Encoding", getContentEncoding());
                call.body(body.toByteArray());
            }
            HttpReply reply = send(call.build());
            if (reply.status() < 300 && beginsLikeJson(reply.body())) {
                StrictJson.check(reply.body());
            }
            return new Response(reply);
        }

        private static boolean beginsLikeJson(byte[] body) {
            int at = 0;
            while (at < body.length && body[at] <= ' ' && body[at] >= 0) {
                at++;
            }
            return at < body.length && body[at] == '{';
        }

        private static void add(HttpCall.Builder call, String name, @Nullable String value) {
            if (value != null) {
                call.header(name, value);
            }
        }

        private HttpReply send(HttpCall call) throws IOException {
            CompletableFuture<HttpReply> reply = http.call(call).toCompletableFuture();
            try {
                return reply.get();
            } catch (InterruptedException e) {
                reply.cancel(true);
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted");
            } catch (ExecutionException e) {
                boolean late = e.getCause() instanceof TimeoutException || e.getCause() instanceof HttpTimeoutException;
                throw new NoReplyException(late);
            }
        }
    }

    private static final class Response extends LowLevelHttpResponse {

        private final HttpReply reply;
        private final List<Map.Entry<String, String>> headers = new ArrayList<>();

        /** Without {@code Location}, so that no credential follows a redirect. */
        Response(HttpReply reply) {
            this.reply = reply;
            Headers all = reply.headers();
            for (int i = 0; i < all.size(); i++) {
                if (!all.name(i).equalsIgnoreCase("Location")) {
                    headers.add(Map.entry(all.name(i), all.value(i)));
                }
            }
        }

        @Override
        public InputStream getContent() {
            return new ByteArrayInputStream(reply.body());
        }

        /** The caller has already decoded it. */
        @Override
        public @Nullable String getContentEncoding() {
            return null;
        }

        @Override
        public long getContentLength() {
            return reply.body().length;
        }

        @Override
        public @Nullable String getContentType() {
            return reply.headers().first("Content-Type");
        }

        @Override
        public String getStatusLine() {
            return "HTTP/1.1 " + reply.status();
        }

        @Override
        public int getStatusCode() {
            return reply.status();
        }

        @Override
        public String getReasonPhrase() {
            return "";
        }

        @Override
        public int getHeaderCount() {
            return headers.size();
        }

        @Override
        public String getHeaderName(int index) {
            return headers.get(index).getKey();
        }

        @Override
        public String getHeaderValue(int index) {
            return headers.get(index).getValue();
        }
    }
}
