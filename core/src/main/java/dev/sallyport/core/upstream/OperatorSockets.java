package dev.sallyport.core.upstream;

import dev.sallyport.core.parent.Parent;
import dev.sallyport.core.parent.ParentException;
import dev.sallyport.core.parent.ParentHandshake;
import dev.sallyport.spi.Connector;
import dev.sallyport.spi.Destination;
import dev.sallyport.toolkit.match.Destinations;
import dev.sallyport.toolkit.match.InvalidHostException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Opens blocking connections to hosts that the operator configured. The dial guard does not apply to them. Thread-safe.
 */
public final class OperatorSockets implements Connector {

    private final EventLoopGroup loops;
    private final Supplier<UpstreamProfile> profile;

    /** Makes connections with the profile of these pools; names are resolved on any of these loops. */
    public OperatorSockets(EventLoopGroup loops, UpstreamPools pools) {
        this.loops = loops;
        this.profile = pools::profile;
    }

    private record ThroughParent(Parent parent) implements Route {

        @Override
        public String toString() {
            return "through " + parent;
        }
    }

    @Override
    public Route route(String host, int port, boolean secure) {
        Parent parent = profile.get().parents().of(Destinations.parse(host, port, secure));
        return parent == null ? Route.DIRECT : new ThroughParent(parent);
    }

    @Override
    public Socket connect(String host, int port, boolean secure) throws IOException {
        Destination destination;
        try {
            destination = Destinations.parse(host, port, secure);
        } catch (InvalidHostException e) {
            throw new IOException(e.getMessage(), e);
        }
        UpstreamProfile now = profile.get();
        Attempt attempt = new Attempt(
                now, System.nanoTime() + now.limits().connectTimeout().toNanos());
        Parent parent = now.parents().of(destination);
        return parent == null ? attempt.direct(destination) : attempt.through(parent, destination);
    }

    /** One connection attempt within its time limit. */
    private final class Attempt {

        private final UpstreamProfile profile;
        private final long deadlineNanos;

        Attempt(UpstreamProfile profile, long deadlineNanos) {
            this.profile = profile;
            this.deadlineNanos = deadlineNanos;
        }

        Socket direct(Destination destination) throws IOException {
            List<InetSocketAddress> found = addresses(destination);
            try {
                return toFirst(found);
            } catch (IOException e) {
                throw new IOException(destination + ": " + e.getMessage(), e);
            }
        }

        Socket through(Parent parent, Destination destination) throws IOException {
            List<InetSocketAddress> targets = new ArrayList<>();
            if (parent.resolves(destination)) {
                targets.add(InetSocketAddress.createUnresolved(destination.host(), destination.port()));
            } else {
                targets.addAll(addresses(destination));
                targets.sort(
                        Comparator.comparingInt(target -> target.getAddress().getAddress().length));
            }
            ParentException last = null;
            for (InetSocketAddress target : targets) {
                try {
                    return ask(parent, target);
                } catch (ParentException e) {
                    last = e;
                    if (e.why() != ParentException.Why.UNREACHABLE) {
                        break;
                    }
                }
            }
            String why = last == null ? "nothing to ask for" : last.message();
            throw new IOException(destination + ": parent proxy " + parent + ": " + why);
        }

        private Socket ask(Parent parent, InetSocketAddress target) throws IOException, ParentException {
            ParentHandshake handshake = parent.handshake(target);
            Socket plain = toFirst(addresses(parent.place()));
            Socket socket = plain;
            try {
                plain.setSoTimeout(remainingMillis());
                if (parent.place().secure()) {
                    socket = profile.tls()
                            .secured(
                                    plain, parent.place().host(), parent.place().port());
                }
                carryOut(handshake, socket);
                plain.setSoTimeout(0);
                return socket;
            } catch (EOFException e) {
                socket.close();
                throw ParentException.closed();
            } catch (IOException e) {
                socket.close();
                throw new IOException("parent proxy " + parent + ": " + e.getMessage(), e);
            } catch (ParentException | RuntimeException e) {
                socket.close();
                throw e;
            }
        }

        /** Reads byte by byte, so that no byte beyond the handshake is consumed. */
        private void carryOut(ParentHandshake handshake, Socket socket) throws IOException, ParentException {
            InputStream in = socket.getInputStream();
            ByteBuf received = Unpooled.buffer();
            socket.getOutputStream().write(handshake.begin());
            while (!handshake.isDone()) {
                int next = in.read();
                if (next < 0) {
                    throw new EOFException();
                }
                received.writeByte(next);
                byte[] answer = handshake.receive(received);
                if (answer.length > 0) {
                    socket.getOutputStream().write(answer);
                }
            }
        }

        private Socket toFirst(List<InetSocketAddress> addresses) throws IOException {
            IOException last = null;
            for (InetSocketAddress address : addresses) {
                Socket socket = new Socket();
                try {
                    socket.setTcpNoDelay(true);
                    socket.connect(address, remainingMillis());
                    return socket;
                } catch (IOException e) {
                    socket.close();
                    last = e;
                }
            }
            throw last == null
                    ? new IOException("no address")
                    : new IOException(DialErrors.describeConnect(last), last);
        }

        private List<InetSocketAddress> addresses(Destination place) throws IOException {
            InetAddress literal = place.address();
            List<InetAddress> found = literal == null ? resolve(place.host()) : List.of(literal);
            return found.stream()
                    .map(address -> new InetSocketAddress(address, place.port()))
                    .toList();
        }

        private List<InetAddress> resolve(String host) throws IOException {
            try {
                return profile.names().resolveAll(loops.next(), host).get(remainingMillis(), TimeUnit.MILLISECONDS);
            } catch (ExecutionException e) {
                throw new IOException(host + ": " + DialErrors.describeLookup(e.getCause()), e);
            } catch (TimeoutException e) {
                throw new IOException(host + ": the name was not resolved in time", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException(host);
            }
        }

        /** The remaining time, at least 1 ms: 0 would mean no limit. */
        private int remainingMillis() throws IOException {
            long left = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
            if (left <= 0) {
                throw new IOException("no connection in time");
            }
            return (int) Math.min(left, Integer.MAX_VALUE);
        }
    }
}
