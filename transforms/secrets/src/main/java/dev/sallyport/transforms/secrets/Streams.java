package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.Direction;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RequestHead;
import dev.sallyport.toolkit.headers.WebSocketOpening;
import org.jspecify.annotations.Nullable;

/** What is done to the parts of a request that follow its head: body, trailers, messages. */
final class Streams {

    private Streams() {}

    static boolean hasBody(RequestHead head) {
        return head.contentLength().orElse(1) != 0;
    }

    static @Nullable String contentType(RequestHead head) {
        return head.headers().first("Content-Type");
    }

    /** Whether the receiver may answer before the body has ended, and the sender wait for that. */
    static boolean conversation(RequestHead head) {
        String type = contentType(head);
        return type != null && type.regionMatches(true, 0, "application/grpc", 0, "application/grpc".length());
    }

    /** Whether an entry refuses bodies with its placeholder here. */
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
        Sightings sightings = swap.sightings();
        if (messages) {
            messages(plan, context, swap, sightings, here);
        } else if (bodies && here) {
            carry(plan, context, swap);
            swap.edits(overPlaintext(plan, context))
                    .rewriteBody(new BodySwap(plan.swapper()
                            .body(contentType(head), token -> sightings.value(token, Place.BODY, "", "body"))));
        } else if (bodies) {
            watch(plan, context, swap, sightings, read);
        }
        if (trailers) {
            swap.edits(false).editTrailers(new TrailerSwap(plan, sightings));
        }
    }

    /** Whether whatever may be swapped behind this head may go anywhere without TLS. */
    private static boolean overPlaintext(Plan plan, RequestContext context) {
        if (context.destination().secure()) {
            return true; // nobody will ask
        }
        for (Replacement entry : plan.bodies().entries()) {
            if (!entry.overPlaintext() && entry.matches(context)) {
                return false;
            }
        }
        return true;
    }

    /** Tells what may be put in behind the head, when a response may have begun. */
    private static void carry(Plan plan, RequestContext context, HeadSwap swap) {
        for (Replacement entry : plan.bodies().entries()) {
            if (entry.secret().available() && entry.matches(context)) {
                swap.carry(entry.credential().current());
            }
        }
    }

    /** Only a destination that may get a value, or where something is refused, has its messages taken apart. */
    private static void messages(Plan plan, RequestContext context, HeadSwap swap, Sightings sightings, boolean here) {
        if (here) {
            carry(plan, context, swap);
        }
        if (here || guarded(plan, context)) {
            swap.edits(overPlaintext(plan, context))
                    .rewriteMessages(
                            Direction.REQUEST,
                            () -> plan.swapper().message(token -> sightings.value(token, Place.BODY, "", "message")));
        }
    }

    /** No placeholder in this body can be swapped: it goes on as it is. */
    private static void watch(
            Plan plan, RequestContext context, HeadSwap swap, Sightings sightings, @Nullable BodyContent read) {
        if (read != null && read.complete()) {
            read.misdirected(sightings);
            return;
        }
        swap.edits(true).observeBody(new BodyWatch(plan.swapper(), contentType(context.head()), sightings));
        if (guarded(plan, context)) {
            swap.edits(true).checkRawBody(BodyWatch.guard(sightings));
        }
    }

    /** In HTTP/1.1 a body of a declared length has none (RFC 9112, 7.1.2). */
    static boolean mayHaveTrailers(RequestContext context) {
        RequestHead head = context.head();
        boolean declared = head.headers().contains("Content-Length");
        return !(declared && context.connection().protocol().startsWith("http/1")) && hasBody(head);
    }
}
