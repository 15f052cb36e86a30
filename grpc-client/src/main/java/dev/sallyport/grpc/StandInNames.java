package dev.sallyport.grpc;

import io.grpc.EquivalentAddressGroup;
import io.grpc.NameResolver;
import io.grpc.NameResolverProvider;
import io.grpc.StatusOr;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.List;

/**
 * Finds an address for gRPC that stands for the server: its own are found when a connection is made, by whatever way leads
 * there then.
 */
final class StandInNames extends NameResolverProvider {

    /** The target of a channel that uses this resolver; its text has no meaning. */
    static final String ANY = "sallyport:///server";

    private static final byte[] NO_ADDRESS = new byte[4];

    private final ServerAddress server;

    StandInNames(ServerAddress server) {
        this.server = server;
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
        return "sallyport";
    }

    @Override
    public NameResolver newNameResolver(URI uri, NameResolver.Args args) {
        return new Names(server);
    }

    private static final class Names extends NameResolver {

        private final ServerAddress server;

        Names(ServerAddress server) {
            this.server = server;
        }

        @Override
        public String getServiceAuthority() {
            return server.authority();
        }

        @Override
        public void start(Listener2 listener) {
            listener.onResult2(ResolutionResult.newBuilder()
                    .setAddressesOrError(StatusOr.fromValue(
                            List.of(new EquivalentAddressGroup(new InetSocketAddress(standIn(), server.port())))))
                    .build());
        }

        private InetAddress standIn() {
            try {
                return InetAddress.getByAddress(server.host(), NO_ADDRESS);
            } catch (UnknownHostException e) {
                throw new AssertionError(e); // an address of four bytes is one
            }
        }

        @Override
        public void shutdown() {}
    }
}
