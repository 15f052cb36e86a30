package dev.sallyport.core.pipeline;

import dev.sallyport.core.audit.AuditGate;
import dev.sallyport.core.audit.AuditListener;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.core.audit.AuditSlot;
import dev.sallyport.core.audit.AuditWriter;
import dev.sallyport.core.audit.MutableAuditRecord;
import dev.sallyport.core.body.BodyBudget;
import dev.sallyport.core.body.BodyFailure;
import dev.sallyport.core.body.BodyLimits;
import dev.sallyport.core.body.BodySink;
import dev.sallyport.core.body.MessageBody;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.spi.Connection;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.ListenerKind;
import dev.sallyport.spi.Principal;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.StubResponse;
import dev.sallyport.spi.Visibility;
import dev.sallyport.toolkit.match.Destinations;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An exchange as runs see it, which writes down each verdict. */
final class RecordingExchange {

    final List<String> told = new ArrayList<>();
    final EmbeddedChannel channel = new EmbeddedChannel();
    final MutableAuditRecord audit = new MutableAuditRecord("01J0", 0);
    final RequestMessage request = new RequestMessage("GET", "/", null, new HeaderBlock(4), 0);
    final ResponseMessage response = new ResponseMessage(200, "", new HeaderBlock(4), 0);
    final MessageBody body = new MessageBody(
            UnpooledByteBufAllocator.DEFAULT,
            new BodyBudget(1 << 20),
            BodyLimits.request(1 << 20),
            new HeaderBlock(1),
            -1,
            bytes -> {},
            (position, why) -> told.add("detached " + position));
    Visibility visibility = Visibility.FULL;
    boolean secure = true;

    @Nullable Runnable near;

    /** Runs what the loop has been given. */
    void loop() {
        channel.runPendingTasks();
    }

    /** Releases the body, which has come to its end, and returns how many bytes leave. */
    long lengthOfReleasedBody() {
        long[] bytes = {0};
        body.release(new BodySink() {
            @Override
            public void begin(long length) {}

            @Override
            public void data(ByteBuf data) {
                bytes[0] += data.readableBytes();
                data.release();
            }

            @Override
            public void end(HeaderBlock trailers) {}

            @Override
            public void failed(BodyFailure failure) {
                throw new AssertionError(failure.toString());
            }

            @Override
            public boolean isWritable() {
                return true;
            }
        });
        return bytes[0];
    }

    /** The audit record as a line; to be called once. */
    String record() {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        AuditGate gate = new AuditGate(1, 1 << 20);
        AuditSlot slot = gate.tryAcquire();
        if (slot == null) {
            throw new AssertionError("no slot");
        }
        try (AuditWriter writer = new AuditWriter(gate, AuditSinks.stream(line), AuditListener.NONE).start()) {
            writer.offer(slot, audit);
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    private ExchangeFacts facts() {
        return new ExchangeFacts(
                channel.eventLoop(),
                "01J0",
                new Peer(),
                this,
                Destinations.fromAuthority("a.test:443", 443, secure),
                visibility);
    }

    /** The exchange of a request. */
    final class Request implements RequestCallbacks {

        @Override
        public ExchangeFacts facts() {
            return RecordingExchange.this.facts();
        }

        @Override
        public RequestMessage head() {
            return request;
        }

        @Override
        public boolean mayGrow(long bytes) {
            return true;
        }

        @Override
        public MessageBody body() {
            return body;
        }

        @Override
        public MutableAuditRecord audit() {
            return audit;
        }

        @Override
        public void bodyDemanded() {
            told.add("demand");
        }

        @Override
        public void requireNear(Stage stage, Runnable next) {
            told.add("near " + stage.name());
            near = next;
        }

        @Override
        public void forward() {
            told.add("forward");
        }

        @Override
        public void rejected(Stage stage, Decision.Reject reject) {
            told.add("rejected by " + stage.name() + ": " + reject.code());
        }

        @Override
        public void responded(Stage stage, StubResponse answer) {
            told.add("answered by " + stage.name() + ": " + answer.status());
        }

        @Override
        public void failed(Stage stage, int status, String code, String detail, String error) {
            told.add("failed in " + stage.name() + ": " + status + " " + code);
        }
    }

    /** The exchange of a response. */
    final class Response implements ResponseCallbacks {

        @Override
        public ExchangeFacts facts() {
            return RecordingExchange.this.facts();
        }

        @Override
        public RequestMessage request() {
            return request;
        }

        @Override
        public ResponseMessage head() {
            return response;
        }

        @Override
        public boolean answeredLocally() {
            return false;
        }

        @Override
        public MutableAuditRecord audit() {
            return audit;
        }

        @Override
        public boolean mayGrow(long bytes) {
            return true;
        }

        @Override
        public MessageBody body() {
            return body;
        }

        @Override
        public void rejected(Stage stage, Decision.Reject reject) {
            told.add("rejected by " + stage.name() + ": " + reject.code());
        }

        @Override
        public void replace(StubResponse answer) {
            told.add("replaced: " + answer.status());
        }

        @Override
        public void editRequest(Stage stage, Edits edits) {
            told.add("edited by " + stage.name() + ": " + edits.list().size());
        }

        @Override
        public void repeat() {
            told.add("repeat");
        }

        @Override
        public void pass() {
            told.add("pass");
        }

        @Override
        public void refused(Stage stage, ResponseDecision.Refuse refuse) {
            told.add("refused by " + stage.name() + ": " + refuse.code());
        }

        @Override
        public void failed(Stage stage, int status, String code, String detail, String error) {
            told.add("failed in " + stage.name() + ": " + status + " " + code);
        }
    }

    private record Peer() implements Connection {

        @Override
        public ListenerKind listener() {
            return ListenerKind.HTTP;
        }

        @Override
        public String transport() {
            return "tcp";
        }

        @Override
        public String protocol() {
            return "http/1.1";
        }

        @Override
        public InetSocketAddress peer() {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), 9);
        }

        @Override
        public @Nullable String sni() {
            return null;
        }

        @Override
        public @Nullable String alpn() {
            return null;
        }

        @Override
        public @Nullable String tunnelTarget() {
            return null;
        }

        @Override
        public Principal principal() {
            return Principal.anonymous();
        }
    }
}
