package dev.sallyport.core.redact;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.toolkit.redact.Restriction;
import java.util.List;

/** Applies to a head what makes its response readable. */
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
