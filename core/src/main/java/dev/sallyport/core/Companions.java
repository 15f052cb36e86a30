package dev.sallyport.core;

import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.PluginFault;
import dev.sallyport.core.config.SectionEntry;
import dev.sallyport.spi.ConfigException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The companions of one proxy, from creation to close. One thread at a time; {@link #ready} from any. */
final class Companions implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Companions.class);

    /** The least time for one whose turn to close comes when the others have used up the time for all. */
    private static final Duration LEAST = Duration.ofMillis(300);

    private final ShutdownSequence ending;
    private final List<Member> members = new ArrayList<>();

    private volatile List<Member> prepared = List.of();
    private List<InetSocketAddress> addresses = List.of();
    private boolean telling;

    /** A companion with its section. */
    private record Member(SectionEntry<?> entry, Companion companion, AtomicBoolean complained) {}

    /** A call that starts a companion. */
    @FunctionalInterface
    private interface Call {
        void on(Companion companion) throws ConfigException;
    }

    Companions(ShutdownSequence ending) {
        this.ending = ending;
    }

    /** Makes the companions of these sections; reports those that cannot be made. */
    void create(List<SectionEntry<?>> entries, CompanionContext context, Consumer<ConfigProblem> problems) {
        for (SectionEntry<?> entry : entries) {
            create(entry, context, problems);
        }
    }

    /** Makes none for a section that is merely bound, for code that reads the configuration. */
    private <C extends Record> void create(
            SectionEntry<C> entry, CompanionContext context, Consumer<ConfigProblem> problems) {
        if (!(entry.factory() instanceof CompanionFactory<C> factory)) {
            return;
        }
        try {
            Companion companion = Objects.requireNonNull(factory.create(entry.config(), context), "no companion");
            members.add(new Member(entry, companion, new AtomicBoolean()));
        } catch (ConfigException e) {
            problems.accept(entry.problem(e));
        } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
            problems.accept(entry.fault(factory, "create", e));
        }
    }

    /** Called before any listener is open. */
    void prepare() throws StartException {
        all("prepare", Companion::prepare);
        List<InetSocketAddress> found = new ArrayList<>();
        all("addresses", companion -> companion.addresses().forEach(address -> found.add(resolved(address))));
        addresses = List.copyOf(found);
        prepared = List.copyOf(members);
    }

    private static InetSocketAddress resolved(InetSocketAddress address) {
        if (address.isUnresolved()) {
            throw new IllegalArgumentException(address + " is no address of this machine");
        }
        return address;
    }

    /** Called when all listeners are open. */
    void started(ProxyInfo proxy) throws StartException {
        all("started", companion -> companion.started(proxy));
    }

    private void all(String method, Call call) throws StartException {
        List<ConfigProblem> problems = new ArrayList<>();
        for (Member member : members) {
            try {
                call.on(member.companion());
            } catch (ConfigException e) {
                problems.add(member.entry().problem(e));
            } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
                problems.add(member.entry().fault(member.companion(), method, e));
            }
        }
        if (!problems.isEmpty()) {
            throw StartException.of(problems);
        }
    }

    /** The addresses on which companions listen. */
    List<InetSocketAddress> addresses() {
        return addresses;
    }

    /** Notifies all of a reload. */
    void reloaded(ReloadResult result) {
        telling = true;
        try {
            members.forEach(member -> reloaded(member, result));
        } finally {
            telling = false;
        }
    }

    private static void reloaded(Member member, ReloadResult result) {
        try {
            member.companion().reloaded(result);
        } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
            complain(member, "reloaded", e);
        }
    }

    /** A reload from within a notification of one would be notified in turn, and so on without end. */
    void refuseReloadFromWithin() {
        if (telling) {
            throw new IllegalStateException("reload() within reloaded() (expected: later, by another thread)");
        }
    }

    /** Whether all of them are ready. */
    boolean ready() {
        for (Member member : prepared) {
            if (!ready(member)) {
                return false;
            }
        }
        return true;
    }

    /** Called repeatedly: a failure is logged once. */
    private static boolean ready(Member member) {
        try {
            return member.companion().ready();
        } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
            if (!member.complained().getAndSet(true)) {
                complain(member, "ready", e);
            }
            return false;
        }
    }

    private static void complain(Member member, String method, Throwable fault) {
        LOG.warn(
                "the companion of section {} failed in {}: {}",
                member.entry().name(),
                method,
                PluginFault.withoutMessage(member.companion(), fault));
    }

    /** Closes last to first; waits for all together, within the time for the end. */
    @Override
    public void close() {
        long deadline = System.nanoTime() + ending.patience().toNanos();
        for (Member member : members.reversed()) {
            long left = Math.max(deadline - System.nanoTime(), LEAST.toNanos());
            if (!close(member, Duration.ofNanos(left))) {
                LOG.error(
                        "the end does not wait for the companion of section {}, which does not close",
                        member.entry().name());
                ending.leaveBehind();
            }
        }
        members.clear();
    }

    private static boolean close(Member member, Duration patience) {
        Thread thread = Thread.ofPlatform()
                .daemon()
                .name("sallyport-close-" + member.entry().name())
                .start(() -> {
                    try {
                        member.companion().close();
                    } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
                        complain(member, "close", e);
                    }
                });
        boolean ended = false;
        boolean interrupted = Thread.interrupted();
        try {
            ended = thread.join(interrupted ? LEAST : patience);
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (!ended) {
            thread.interrupt();
        }
        return ended;
    }
}
