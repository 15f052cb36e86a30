package dev.sallyport.control.api;

import dev.sallyport.control.audit.AdminAudit;
import dev.sallyport.control.audit.AdminEvent;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Ids;
import dev.sallyport.control.model.Limits;
import dev.sallyport.control.model.Page;
import dev.sallyport.control.model.PageRequest;
import dev.sallyport.control.model.Refusal;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** {@code /v1/audit/admin}. */
@Controller("/v1/audit/admin")
@Produces(MediaType.ALL)
@ExecuteOn(ApiThreads.NAME)
final class AdminAuditController {

    private static final String PREFIX = "aud_";
    private static final int PAGE = 50;

    private final AdminAudit audit;

    AdminAuditController(AdminAudit audit) {
        this.audit = audit;
    }

    /** Which events. */
    record Query(
            @Limits(description = "Such as create, update or delete.") @Nullable String action,

            @Limits(description = "Such as secret_policy.") @Nullable String resource,

            @Limits(description = "Inclusive.") @Nullable Instant since,
            @Limits(description = "Exclusive.") @Nullable Instant until,

            @Limits(description = "Identifier of the event after which the page begins.") @Nullable String cursor,

            @Limits(min = 1, max = 500, description = "How many at most.", defaultValue = "50") @Nullable Integer limit,

            @Limits(description = "Direction of the time.", defaultValue = "desc") @Nullable Order order) {}

    @Get
    @Operation(
            summary = "List administrative changes of the organization.",
            tag = "Audit",
            query = Query.class,
            answer = AdminEvent.class,
            form = Operation.Form.LIST)
    HttpResponse<?> list(HttpRequest<?> request, Caller caller) {
        Query query = BodyBinder.query(request.getParameters()::getAll, Query.class);
        int limit = query.limit() == null ? PAGE : query.limit();
        Page<AdminEvent> page = audit.list(
                caller,
                new AdminAudit.Filter(query.action(), query.resource(), query.since(), query.until()),
                new PageRequest(limit, position(query.cursor()), query.order() != Order.ASC));
        String cursor = page.hasMore() ? page.rows().getLast().id() : null;
        return Answer.of(200, new Answer.Items(page.rows(), page.hasMore(), cursor))
                .toResponse();
    }

    /** Identifiers hold their time. */
    private static PageRequest.@Nullable Position position(@Nullable String cursor) {
        if (cursor == null) {
            return null;
        }
        if (!Ids.isWellFormed(PREFIX, cursor)) {
            throw Refusal.invalid("cursor", "not the identifier of an event (expected: the cursor of the last page)");
        }
        return new PageRequest.Position(Ids.millis(PREFIX, cursor), cursor);
    }
}
