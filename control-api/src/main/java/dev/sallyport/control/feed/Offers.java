package dev.sallyport.control.feed;

import dev.sallyport.control.model.Faults;
import dev.sallyport.control.proxy.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the proxies of an organization are offered in a round: its policies are read once, when they are needed, and the
 * value of a secret is decrypted once for all of them. For one thread.
 */
final class Offers implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Offers.class);

    private final String organization;
    private final Round round;
    private final Accounts accounts;
    private final LatestPipelines latest;
    private final FeedMeters meters;
    private final Map<Scope, Snapshot> made = new HashMap<>();
    private final List<OpenValues> open = new ArrayList<>();
    private @Nullable Compiler compiler;
    private Credentials credentials = Credentials.NONE;
    private boolean unreadable;

    /**
     * A round.
     *
     * @param revision the order number up to which it has all changes
     * @param changed what was offered before to organizations that have changed
     * @param unreadable what was offered before to others, whose secrets are read again
     */
    record Round(long revision, Map<Scope, Snapshot> changed, Map<Scope, Snapshot> unreadable) {

        private @Nullable Snapshot before(Scope scope) {
            Snapshot found = changed.get(scope);
            return found == null ? unreadable.get(scope) : found;
        }

        private List<Credentials> credentialsBefore(String organization) {
            List<Credentials> found = new ArrayList<>();
            for (Map<Scope, Snapshot> before : List.of(changed, unreadable)) {
                before.forEach((scope, snapshot) -> {
                    if (scope.organization().equals(organization)) {
                        found.add(snapshot.credentials());
                    }
                });
            }
            return found;
        }
    }

    /** @param latest what is offered while nothing changes, which it adds to */
    Offers(String organization, Round round, Accounts accounts, LatestPipelines latest, FeedMeters meters) {
        this.organization = organization;
        this.round = round;
        this.accounts = accounts;
        this.latest = latest;
        this.meters = meters;
    }

    long revision() {
        return round.revision();
    }

    void offer(ProxySession session) {
        Scope scope = session.scope();
        Snapshot snapshot = scope == null ? null : snapshot(scope);
        if (snapshot == null) {
            session.doubt();
        } else {
            session.offer(snapshot);
        }
    }

    /** Null where the policies cannot be read now. */
    private @Nullable Snapshot snapshot(Scope scope) {
        Snapshot snapshot = made.get(scope);
        if (snapshot == null) {
            Snapshot known = latest.get(scope);
            if (known == null) {
                known = compile(scope);
            }
            if (known != null) {
                snapshot = known.at(round.revision());
                open.add(snapshot.credentials().values().keep());
                made.put(scope, snapshot);
            }
        }
        return snapshot;
    }

    private @Nullable Snapshot compile(Scope scope) {
        long began = System.nanoTime();
        Compiler reader = compiler();
        if (reader == null) {
            return null;
        }
        Compiled found = compiled(reader, scope);
        meters.compiled(began, found);
        Snapshot earlier = round.before(scope);
        Compiled pipeline = found;
        if (earlier != null && earlier.pipeline().equals(found)) {
            pipeline = earlier.pipeline(); // what is wrong with it has been said
        } else {
            found.problems()
                    .forEach(problem -> LOG.error(
                            "organization {} is refused everything: {}: {}",
                            organization,
                            problem.policyId(),
                            problem.message()));
        }
        Snapshot snapshot = Snapshot.of(round.revision(), pipeline, credentials);
        latest.put(scope, snapshot);
        return snapshot;
    }

    /** Once in a round: all its proxies would wait for the database. */
    private @Nullable Compiler compiler() {
        if (compiler == null && !unreadable) {
            try {
                Account account = accounts.of(organization);
                credentials =
                        accounts.credentials(organization, account.secrets(), round.credentialsBefore(organization));
                compiler = new Compiler(account);
            } catch (RuntimeException | Error e) {
                Faults.survived(e);
                unreadable = true;
                LOG.error(
                        "the policies of organization {} cannot be read; its proxies keep what they have, and it is tried again",
                        organization,
                        e);
            }
        }
        return compiler;
    }

    private Compiled compiled(Compiler reader, Scope scope) {
        try {
            return reader.compile(scope);
        } catch (RuntimeException | StackOverflowError e) { // other errors may be due to what others do
            LOG.error("the policies of organization {} cannot be compiled", organization, e);
            return Compiler.refusing(List.of(new Proxy.Problem(
                    null, "", "the policies cannot be compiled: an internal error, which the log has")));
        }
    }

    /** Values do not stay decrypted. */
    @Override
    public void close() {
        open.forEach(OpenValues::close);
    }
}
