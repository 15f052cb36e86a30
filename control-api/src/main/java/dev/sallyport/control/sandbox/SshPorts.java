package dev.sallyport.control.sandbox;

import dev.sallyport.sandbox.SshEndpoint;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The ports at which VMs are logged in to, each a plain TCP forwarder to the sshd of a guest, on one event loop of their own.
 * A port is bound for as long as its VM is there, so that no other program takes it while the VM is stopped. Thread-safe.
 */
@Singleton
final class SshPorts implements AutoCloseable {

    private static final int BACKLOG = 128;
    private static final long QUIET_MILLIS = 0;
    private static final long PATIENCE_MILLIS = 2_000;

    private final SandboxSettings.Ssh settings;
    private final Clock clock;
    private final Keepalive keepalive;
    private final Map<String, SshPort> ports = new ConcurrentHashMap<>();
    private @Nullable EventLoopGroup loops;
    private boolean closed;

    @Inject
    SshPorts(SandboxSettings settings, Clock clock) {
        this(settings.ssh(), clock, Keepalive.USUAL);
    }

    SshPorts(SandboxSettings.Ssh settings, Clock clock, Keepalive keepalive) {
        this.settings = settings;
        this.clock = clock;
        this.keepalive = keepalive;
    }

    private synchronized EventLoopGroup loops() {
        if (closed) {
            throw new IllegalStateException("the control plane has ended");
        }
        EventLoopGroup made = loops;
        if (made == null) {
            made = new MultiThreadIoEventLoopGroup(
                    1,
                    Thread.ofPlatform().daemon().name("sallyport-control-ssh").factory(),
                    NioIoHandler.newFactory());
            loops = made;
        }
        return made;
    }

    /**
     * Binds a VM's port, which leads nowhere yet; one that is bound is left as it is. Blocks for a moment.
     *
     * @throws TakenException when another program has the port
     * @throws IOException when the address is none of this machine, or for another reason
     */
    void bind(String vm, int port) throws IOException {
        SshPort present = ports.get(vm);
        if (present != null && present.isBound()) {
            return;
        }
        SshPort made = new SshPort(settings.connections(), clock, keepalive);
        ChannelFuture bound = new ServerBootstrap()
                .group(loops())
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.AUTO_READ, false)
                .childHandler(made.acceptor())
                .bind(new InetSocketAddress(settings.listen(), port))
                .awaitUninterruptibly();
        Throwable fault = bound.cause();
        if (fault != null) {
            String message = "SSH port " + settings.listen() + ":" + port + " cannot be listened at: "
                    + fault.getMessage() + " (expected: a free port of this machine)";
            if (fault instanceof BindException && isOfThisMachine(settings.listen())) {
                throw new TakenException(message, fault);
            }
            throw new IOException(message, fault);
        }
        made.listener(bound.channel());
        ports.put(vm, made);
    }

    /** Another program has a port. */
    static final class TakenException extends IOException {

        private static final long serialVersionUID = 1;

        TakenException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** What the system says of both errors is not told apart by a class. */
    private static boolean isOfThisMachine(String address) {
        try (ServerSocket any = new ServerSocket()) {
            any.bind(new InetSocketAddress(address, 0));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Lets a VM's port lead to the sshd of its guest.
     *
     * @throws IOException as {@link #bind}
     */
    void lead(String vm, int port, SshEndpoint guest) throws IOException {
        bind(vm, port);
        SshPort bound = ports.get(vm);
        if (bound != null) {
            bound.lead(guest);
        }
    }

    /** Ends the connections of a VM; its port leads nowhere until further notice. */
    void suspend(String vm) {
        SshPort bound = ports.get(vm);
        if (bound != null) {
            bound.lead(null);
        }
    }

    /** Gives a VM's port back. Blocks for a moment. */
    void release(String vm) {
        SshPort bound = ports.remove(vm);
        if (bound != null) {
            bound.close();
        }
    }

    /** When somebody was logged in to a VM last, in milliseconds since the epoch; null when it has no port. */
    @Nullable Long usedAt(String vm) {
        SshPort bound = ports.get(vm);
        return bound == null ? null : (Long) bound.usedAt();
    }

    @Override
    @PreDestroy
    public void close() {
        EventLoopGroup made;
        synchronized (this) {
            closed = true;
            made = loops;
        }
        if (made != null) {
            ports.values().forEach(SshPort::close);
            made.shutdownGracefully(QUIET_MILLIS, PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        }
    }
}
