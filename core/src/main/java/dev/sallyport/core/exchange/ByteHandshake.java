package dev.sallyport.core.exchange;

import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.upstream.Route;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The switch to a protocol of which only the name is known, with any method and over HTTP/1.1 alone. */
record ByteHandshake(String protocol) implements UpgradeHandshake {

    @Override
    public boolean framed() {
        return false;
    }

    @Override
    public boolean asksWith(String method) {
        return true;
    }

    @Override
    public Route route(Route route) {
        return route.overHttp1InHalves();
    }

    @Override
    public boolean overHttp2Alone() {
        return false;
    }

    @Override
    public void ask(RequestMessage head, boolean readable) {
        head.headers().replace("Connection", List.of("Upgrade"));
        head.headers().replace("Upgrade", List.of(protocol));
    }

    @Override
    public @Nullable String fault(ResponseMessage head) {
        return UpgradeHandshake.disagreement(head, protocol);
    }

    @Override
    public void conclude(ResponseMessage head) {}
}
