package dev.sallyport.core.redact;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.toolkit.redact.Restriction;
import java.util.List;

/** Restricts a request's head so that the response can be searched. */
final class RequestRestriction {

    private RequestRestriction() {}

    static void restrict(HeaderBlock request) {
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
