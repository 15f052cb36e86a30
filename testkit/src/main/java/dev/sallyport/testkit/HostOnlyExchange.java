package dev.sallyport.testkit;

import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.body.BodyBudget;
import dev.sallyport.core.body.BodyLimits;
import dev.sallyport.core.body.MessageBody;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.pipeline.RequestHost;
import dev.sallyport.core.pipeline.Stage;
import dev.sallyport.spi.Connection;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.StubResponse;
import dev.sallyport.spi.Visibility;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.util.concurrent.CompletableFuture;

/** A passed-through connection on its way through the request pipeline: there is only a host to judge. */
final class HostOnlyExchange implements RequestHost {

    /** The verdict: status 0 means that the connection is passed through. */
    record Verdict(int status, String code) {}

    private final EventLoop loop;
    private final Connection connection;
    private final Destination destination;
    private final AuditRecord audit;
    private final RequestMessage head = new RequestMessage("", "", null, new HeaderBlock(1), 0);
    private final MessageBody body = new MessageBody(
            ByteBufAllocator.DEFAULT,
            new BodyBudget(0),
            BodyLimits.request(0),
            head.headers(),
            0,
            bytes -> {},
            (position, why) -> {});
    private final CompletableFuture<Verdict> verdict = new CompletableFuture<>();

    HostOnlyExchange(EventLoop loop, Connection connection, Destination destination, AuditRecord audit) {
        this.loop = loop;
        this.connection = connection;
        this.destination = destination;
        this.audit = audit;
    }

    CompletableFuture<Verdict> verdict() {
        return verdict;
    }

    @Override
    public EventLoop loop() {
        return loop;
    }

    @Override
    public String exchangeId() {
        return "host-only";
    }

    @Override
    public Connection connection() {
        return connection;
    }

    @Override
    public Destination destination() {
        return destination;
    }

    @Override
    public Visibility visibility() {
        return Visibility.HOST_ONLY;
    }

    @Override
    public RequestMessage head() {
        return head;
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
    public AuditRecord audit() {
        return audit;
    }

    @Override
    public void bodyDemanded() {
        body.end(new HeaderBlock(1));
    }

    @Override
    public void requireNear(Stage stage, Runnable next) {
        throw new IllegalStateException("a credential without TLS in a connection that is passed through");
    }

    @Override
    public void forward() {
        audit.action(AuditRecord.Action.ALLOW);
        verdict.complete(new Verdict(0, ""));
    }

    @Override
    public void rejected(Stage stage, Decision.Reject reject) {
        audit.action(AuditRecord.Action.REJECT).rejectedBy(stage.name());
        verdict.complete(new Verdict(reject.status(), reject.code()));
    }

    @Override
    public void responded(Stage stage, StubResponse response) {
        audit.action(AuditRecord.Action.STUB).stubbedBy(stage.name());
        verdict.complete(new Verdict(response.status(), ""));
    }

    @Override
    public void failed(Stage stage, int status, String code, String detail, String error) {
        audit.action(AuditRecord.Action.ERROR).error(error);
        verdict.complete(new Verdict(status, code));
    }
}
