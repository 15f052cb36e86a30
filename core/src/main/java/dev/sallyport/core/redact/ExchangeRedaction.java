package dev.sallyport.core.redact;

import dev.sallyport.core.audit.MutableAuditRecord;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.spi.Credential;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.RedactResponse;
import dev.sallyport.toolkit.redact.Restriction;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Removes credentials from the responses of one exchange: those sent to where it goes before, and those that this request
 * carries. They are compiled off the loop, from the request on; the response waits. Confined to the exchange's loop.
 */
public final class ExchangeRedaction {

    private final RedactionRegistry redactions;
    private final EventLoop loop;
    private final String workload;
    private final Destination origin;
    private final @Nullable InetAddress address;
    private final @Nullable CarriedCredentials carried;
    private final boolean local;
    private final RedactionFindings found;
    private final Queue<Runnable> waiting = new ArrayDeque<>(1);

    private int noted;
    private boolean renewed;
    private CredentialSet sent = CredentialSet.EMPTY;
    private CredentialSet own = CredentialSet.EMPTY;
    private CredentialSet once = CredentialSet.EMPTY;
    private WantedCredentials wanted = WantedCredentials.nothing();
    private boolean over;

    ExchangeRedaction(
            RedactionRegistry redactions,
            EventLoop loop,
            MutableAuditRecord record,
            String workload,
            Destination origin,
            @Nullable InetAddress address,
            @Nullable CarriedCredentials carried) {
        this.redactions = redactions;
        this.loop = loop;
        this.workload = workload;
        this.origin = origin;
        this.address = address;
        this.carried = carried;
        this.local = address != null && address.isLoopbackAddress();
        this.found = new RedactionFindings(record);
        renew();
    }

    /** Whether there is anything to search for, or may be once the request's trailers have come. */
    boolean isNeeded() {
        return carried != null || !wanted.isEmpty();
    }

    /** Restricts the request so that the origin's response can be searched: complete, and in a known form. */
    public void restrict(HeaderBlock request) {
        if (!sent.inContent().isEmpty()
                || !own.inContent().isEmpty()
                || !once.inContent().isEmpty()) {
            Restriction.of(request, new Restriction.Change() {
                @Override
                public void remove(String name) {
                    request.removeAll(name);
                }

                @Override
                public void set(String name, String value) {
                    request.replace(name, List.of(value));
                }
            });
        }
    }

    /** Whether the messages of a WebSocket are searched. */
    public boolean searches() {
        return !wanted.isEmpty();
    }

    /** The final response has begun: no credential may be put in any more. */
    public void answered() {
        if (carried != null) {
            carried.answered();
        }
    }

    /**
     * Runs a task on the loop once everything that is to be searched for is compiled; at once if it is. Tasks run one
     * after the other and obtain {@link #search()}.
     */
    public void whenReady(Runnable task) {
        renew();
        if (waiting.isEmpty() && wanted.isDone()) {
            task.run();
            return;
        }
        waiting.add(task);
        if (waiting.size() == 1) {
            await();
        }
    }

    private void await() {
        wanted.whenDone(() -> loop.execute(this::proceed));
    }

    private void proceed() {
        while (!over && !waiting.isEmpty()) {
            if (!wanted.isDone()) {
                await();
                return;
            }
            waiting.remove().run();
        }
    }

    /** Runs no further task. Idempotent. */
    public void cancel() {
        over = true;
        waiting.clear();
    }

    /** Whether a search that is needed is impossible: nothing may be passed on. */
    public boolean failed() {
        return wanted.failed();
    }

    /** The search of a response; null when there is nothing to search for. Only within a task. */
    public @Nullable ResponseSearch search() {
        return wanted.failed() ? null : wanted.search(found, () -> redactions.masks(workload));
    }

    /** Includes what has been sent since, by this exchange and by others. */
    @SuppressWarnings("ReferenceEquality") // sets are replaced, never changed
    private void renew() {
        note();
        CredentialSet before = redactions.sent(workload, origin, address);
        if (noted == size() && before == sent && renewed) {
            return;
        }
        renewed = true;
        sent = before;
        noted = size();
        CredentialSet lasting = own.isEmpty() ? sent : sent.with(own);
        wanted = lasting.isEmpty() && once.isEmpty() ? WantedCredentials.nothing() : redactions.wanted(lasting, once);
    }

    private int size() {
        return carried == null ? 0 : carried.size();
    }

    private void note() {
        for (int i = noted; i < size(); i++) {
            String stage = Objects.requireNonNull(carried).stage(i);
            Credential secret = carried.credential(i);
            RedactResponse when =
                    secret.length() < Credential.MIN_LENGTH ? RedactResponse.OFF : redactions.when(secret, local);
            if (when == RedactResponse.OFF) {
                continue;
            }
            boolean recurs = secret.lasting()
                    && (!CarriedCredentials.derived(secret) || redactions.recurs(workload, stage, secret));
            if (!recurs) {
                once = once.with(stage, secret);
                continue;
            }
            if (when != RedactResponse.SWAPPED) {
                own = own.with(stage, secret);
            }
            if (when != RedactResponse.EXCHANGE) {
                redactions.send(workload, origin, address, stage, secret);
            }
        }
    }

    @Override
    public String toString() {
        return "ExchangeRedaction[" + origin + "]";
    }
}
