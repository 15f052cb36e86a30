package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.Direction;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RequestHead;
import dev.sallyport.toolkit.headers.CallProtocol;
import dev.sallyport.toolkit.headers.WebSocketOpening;
import org.jspecify.annotations.Nullable;

/** The edits to the parts of a request that follow its head: body, trailers, messages. */
final class StreamEdits {

    private StreamEdits() {}

    static boolean hasBody(RequestHead head) {
        return head.contentLength().orElse(1) != 0;
    }

    static @Nullable String contentType(RequestHead head) {
        return head.headers().first("Content-Type");
    }

    /** Whether the receiver may answer before the body has ended, while the sender waits for the answer. */
    static boolean conversation(RequestHead head) {
        return CallProtocol.of(contentType(head)) != null;
    }

    /** Whether an entry refuses a body that has its placeholder at this destination. */
    static boolean guarded(Plan plan, RequestContext context) {
        for (Replacement entry : plan.guardedBodies()) {
            if (!entry.matches(context)) {
                return true;
            }
        }
        return false;
    }

    /** Adds the edits. */
    static void edit(Plan plan, RequestContext context, HeadSwap swap, @Nullable BodyContent read) {
        RequestHead head = context.head();
        boolean messages = plan.scansBodies() && WebSocketOpening.in(head);
        boolean bodies = plan.scansBodies() && hasBody(head);
        boolean trailers = plan.scansHeaders() && mayHaveTrailers(context);
        if (!messages && !bodies && !trailers) {
            return;
        }
        boolean here = plan.bodies().mayMatch(context);
        PlaceholderResolver resolver = swap.resolver();
        if (messages) {
            messages(plan, context, swap, resolver, here);
        } else if (bodies && here) {
            carry(plan, context, swap);
            swap.edits(overPlaintext(plan, context))
                    .rewriteBody(new BodySwap(plan.replacer()
                            .body(contentType(head), token -> resolver.value(token, RequestPart.BODY, "", "body"))));
        } else if (bodies) {
            watch(plan, context, swap, resolver, read);
        }
        if (trailers) {
            swap.edits(false).editTrailers(new TrailerSwap(plan, resolver));
        }
    }

    /** Whether every value that may be swapped after this head may be sent anywhere without TLS. */
    private static boolean overPlaintext(Plan plan, RequestContext context) {
        if (context.destination().secure()) {
            return true; // Never read.
        }
        for (Replacement entry : plan.bodies().entries()) {
            if (!entry.overPlaintext() && entry.matches(context)) {
                return false;
            }
        }
        return true;
    }

    /** Declares the credentials that may be put in after the head, when a response may have begun. */
    private static void carry(Plan plan, RequestContext context, HeadSwap swap) {
        for (Replacement entry : plan.bodies().entries()) {
            if (entry.secret().available() && entry.matches(context)) {
                swap.carry(entry.credential().current());
            }
        }
    }

    /** Messages are parsed only for a destination that may get a value, or where something is refused. */
    private static void messages(
            Plan plan, RequestContext context, HeadSwap swap, PlaceholderResolver resolver, boolean here) {
        if (here) {
            carry(plan, context, swap);
        }
        if (here || guarded(plan, context)) {
            swap.edits(overPlaintext(plan, context))
                    .rewriteMessages(
                            Direction.REQUEST,
                            () -> plan.replacer()
                                    .message(token -> resolver.value(token, RequestPart.BODY, "", "message")));
        }
    }

    /** No placeholder in this body can be swapped, so it is forwarded unchanged. */
    private static void watch(
            Plan plan,
            RequestContext context,
            HeadSwap swap,
            PlaceholderResolver resolver,
            @Nullable BodyContent read) {
        if (read != null && read.complete()) {
            read.misdirected(resolver);
            return;
        }
        swap.edits(true).observeBody(new BodyWatch(plan.replacer(), contentType(context.head()), resolver));
        if (guarded(plan, context)) {
            swap.edits(true).checkRawBody(BodyWatch.guard(resolver));
        }
    }

    /** A body with a declared length has no trailers in HTTP/1.1 (RFC 9112, 7.1.2). */
    static boolean mayHaveTrailers(RequestContext context) {
        RequestHead head = context.head();
        boolean declared = head.headers().contains("Content-Length");
        return !(declared && context.connection().protocol().startsWith("http/1")) && hasBody(head);
    }
}
