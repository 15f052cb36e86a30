package dev.sallyport.transforms.grpc;

import dev.sallyport.spi.AddressResolver;
import io.grpc.EquivalentAddressGroup;
import io.grpc.NameResolver;
import io.grpc.NameResolverProvider;
import io.grpc.Status;
import io.grpc.StatusOr;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Has gRPC ask the engine for addresses. All addresses of a server are ways to one place: one connection is made. */
final class EngineNames extends NameResolverProvider {

    /** A target of a channel with these names; the text itself says nothing. */
    static final String ANY = "engine:///server";

    private final Target target;
    private final AddressResolver resolver;

    EngineNames(Target target, AddressResolver resolver) {
        this.target = target;
        this.resolver = resolver;
    }

    @Override
    protected boolean isAvailable() {
        return true;
    }

    @Override
    protected int priority() {
        return 5;
    }

    @Override
    public String getDefaultScheme() {
        return "engine";
    }

    @Override
    public NameResolver newNameResolver(URI uri, NameResolver.Args args) {
        return new Names(args);
    }

    /** Confined to the channel's synchronization context, but for the answer. */
    private final class Names extends NameResolver {

        private final Args args;
        private @Nullable Listener2 listener;
        private boolean asking;
        private boolean over;

        Names(Args args) {
            this.args = args;
        }

        @Override
        public String getServiceAuthority() {
            return target.authority();
        }

        @Override
        public void start(Listener2 newListener) {
            listener = newListener;
            ask();
        }

        @Override
        public void refresh() {
            ask();
        }

        @Override
        public void shutdown() {
            over = true;
        }

        private void ask() {
            if (asking || over) {
                return;
            }
            asking = true;
            resolver.resolve(target.host())
                    .whenComplete((addresses, failure) ->
                            args.getSynchronizationContext().execute(() -> answered(addresses, failure)));
        }

        private void answered(@Nullable List<InetAddress> addresses, @Nullable Throwable failure) {
            asking = false;
            Listener2 to = listener;
            if (over || to == null) {
                return;
            }
            if (addresses == null) {
                Throwable cause = failure instanceof CompletionException && failure.getCause() != null
                        ? failure.getCause()
                        : failure;
                to.onError(Status.UNAVAILABLE.withDescription(
                        target.host() + ": " + (cause == null ? "no addresses" : cause.getMessage())));
                return;
            }
            List<SocketAddress> sockets = new ArrayList<>(addresses.size());
            for (InetAddress address : addresses) {
                sockets.add(new InetSocketAddress(address, target.port()));
            }
            to.onResult2(ResolutionResult.newBuilder()
                    .setAddressesOrError(StatusOr.fromValue(List.of(new EquivalentAddressGroup(sockets))))
                    .build());
        }
    }
}
