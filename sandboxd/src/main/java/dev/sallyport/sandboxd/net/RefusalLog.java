package dev.sallyport.sandboxd.net;

import dev.sallyport.linux.PacketHeader;
import dev.sallyport.linux.SystemCallException;
import dev.sallyport.linux.UnavailableException;
import dev.sallyport.sandboxd.system.Command;
import dev.sallyport.sandboxd.system.CommandException;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.NetworkInterface;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes what is refused of guests into this process's log, some of it: the kernel passes on no more than a few packets a
 * second, of one guest and of all, and what comes faster is only counted. Not thread-safe.
 */
final class RefusalLog implements AutoCloseable {

    /** The group into which rules log. */
    static final int GROUP = 23_057;

    /** How many lines there are in a second at most. */
    static final int LINES = 10;

    private static final Logger LOG = LoggerFactory.getLogger(RefusalLog.class);

    /** A look ends even while packets come as fast as they are read. */
    private static final int PARTS = 64;

    /** All that a kernel needs for rules that log; nft only asks it. */
    private static final String PROBE = """
            table inet %s_probe {
              chain logged {
                log group %d
              }
            }
            """.formatted(Ruleset.TABLE, GROUP);

    private final GatePlan plan;
    private final Function<Inet4Address, String> names;
    private @Nullable LogSocket socket;

    /** @param names what guests are called, by their addresses */
    RefusalLog(GatePlan plan, Function<Inet4Address, String> names) {
        this.plan = plan;
        this.names = names;
    }

    /** Begins, where it has not begun. Returns whether this machine can do it; the log says why not. */
    boolean open() throws InterruptedException {
        try {
            if (socket == null) {
                Command.of("nft", "--check", "-f", "-").reading(PROBE).run();
                socket = LogSocket.open(GROUP);
            }
            return true;
        } catch (CommandException | UnavailableException | SystemCallException e) {
            LOG.warn("what is refused of guests is counted, and not logged: {}", e.getMessage());
            return false;
        }
    }

    /** Writes what has come since the last time. Whoever calls it once a second writes no more lines than there may be. */
    void write() {
        LogSocket open = socket;
        if (open == null) {
            return;
        }
        try {
            int lines = 0;
            for (int part = 0; part < PARTS; part++) {
                List<LoggedPacket> packets = open.read();
                if (packets.isEmpty()) {
                    return;
                }
                for (LoggedPacket packet : packets) {
                    if (lines < LINES && write(packet)) {
                        lines++;
                    }
                }
            }
        } catch (IOException e) {
            LOG.debug("what is refused of guests cannot be read: {}", e.getMessage());
        }
    }

    /** Returns whether there is a line: a guest that is gone has none. */
    private boolean write(LoggedPacket packet) throws IOException {
        NetworkInterface cable = NetworkInterface.getByIndex(packet.cable());
        Inet4Address guest = cable == null ? null : plan.guest(cable.getName());
        if (guest == null) {
            return false;
        }
        if (packet.prefix().equals(Ruleset.SPOOFED)) {
            LOG.info("{} is refused {} from {}, which is not its address", names.apply(guest), packet, source(packet));
        } else {
            LOG.info("{} is refused {}", names.apply(guest), packet);
        }
        return true;
    }

    private static String source(LoggedPacket packet) {
        var source = packet.source();
        return source == null ? "nowhere" : PacketHeader.text(source);
    }

    @Override
    public void close() {
        LogSocket open = socket;
        socket = null;
        if (open != null) {
            try {
                open.close();
            } catch (SystemCallException e) {
                LOG.debug("a netlink socket stays open: {}", e.getMessage());
            }
        }
    }
}
