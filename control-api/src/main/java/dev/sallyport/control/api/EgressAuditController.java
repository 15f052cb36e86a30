package dev.sallyport.control.api;

import dev.sallyport.control.audit.AuditReads;
import dev.sallyport.control.audit.EgressAudit;
import dev.sallyport.control.audit.EgressEvent;
import dev.sallyport.control.audit.EgressHour;
import dev.sallyport.control.audit.EgressHours;
import dev.sallyport.control.audit.EgressTail;
import dev.sallyport.control.audit.OpenAnswers;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Page;
import dev.sallyport.control.model.PageRequest;
import dev.sallyport.control.model.Refusal;
import io.micronaut.http.HttpMethod;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.server.types.files.StreamedFile;
import io.micronaut.http.sse.Event;
import io.micronaut.scheduling.annotation.ExecuteOn;
import jakarta.inject.Named;
import java.util.concurrent.ExecutorService;
import org.reactivestreams.Publisher;

/** {@code /v1/audit/egress}. */
@Controller("/v1/audit/egress")
@Produces(MediaType.ALL)
@ExecuteOn(ApiThreads.NAME)
final class EgressAuditController {

    static final String NDJSON = "application/x-ndjson";

    private static final String TAG = "Audit";
    private static final String LAST_EVENT_ID = "Last-Event-ID";
    private static final int PAGE = 50;
    private static final int LARGEST_PAGE = 500;

    private final EgressAudit audit;
    private final EgressHours hours;
    private final EgressTail tail;
    private final AuditReads reads;
    private final ExecutorService threads;
    private final OpenAnswers exports = new OpenAnswers("exports", new OpenAnswers.Most(2, 8));

    EgressAuditController(
            EgressAudit audit,
            EgressHours hours,
            EgressTail tail,
            AuditReads reads,
            @Named(ApiThreads.NAME) ExecutorService threads) {
        this.audit = audit;
        this.hours = hours;
        this.tail = tail;
        this.reads = reads;
        this.threads = threads;
    }

    @Get
    @Operation(
            summary = "List the requests of workloads, by time; that they were read is recorded, too.",
            tag = TAG,
            query = EgressQueries.Listed.class,
            answer = EgressEvent.class,
            form = Operation.Form.LIST)
    HttpResponse<?> list(HttpRequest<?> request, Caller caller) {
        EgressQueries.Listed query = BodyBinder.query(request.getParameters()::getAll, EgressQueries.Listed.class);
        PageRequest.Position after = query.cursor() == null ? null : position(query.cursor());
        reads.record(caller, "list", query.filter());
        int limit = query.limit() == null ? PAGE : query.limit();
        Page<EgressEvent> page =
                audit.list(caller, query.filter(), new PageRequest(limit, after, query.order() != Order.ASC));
        String cursor = page.hasMore() ? page.rows().getLast().id() : null;
        return Answer.of(200, new Answer.Items(page.rows(), page.hasMore(), cursor))
                .toResponse();
    }

    private static PageRequest.Position position(String cursor) {
        return EgressAudit.position(cursor)
                .orElseThrow(() -> Refusal.invalid(
                        "cursor", "not the identifier of an event (expected: the cursor of the last page)"));
    }

    @Get("/hours")
    @Operation(
            summary =
                    "List how many requests there were in each hour, by host and result, also of events that are gone; that they were read is recorded, too.",
            tag = TAG,
            query = EgressQueries.Counted.class,
            answer = EgressHour.class,
            form = Operation.Form.LIST)
    HttpResponse<?> count(HttpRequest<?> request, Caller caller) {
        EgressQueries.Counted query = BodyBinder.query(request.getParameters()::getAll, EgressQueries.Counted.class);
        EgressHours.Filter filter = query.filter();
        CursorList list = CursorList.byTime("egress-hours", query.order(), filter);
        PageRequest part = list.part(query.cursor(), query.limit(), PAGE);
        reads.record(caller, "hours", query.read());
        return list.answer(hours.list(caller, filter, part), EgressHours::position)
                .toResponse();
    }

    @Get("/export")
    @Operation(
            summary = "Export the requests of workloads as lines of JSON; that they were read is recorded, too.",
            tag = TAG,
            query = EgressQueries.Exported.class,
            answer = EgressEvent.class,
            errors = Operation.QUOTA,
            media = NDJSON)
    HttpResponse<?> export(HttpRequest<?> request, Caller caller) {
        EgressQueries.Exported query = BodyBinder.query(request.getParameters()::getAll, EgressQueries.Exported.class);
        reads.record(caller, "export", query.filter());
        if (request.getMethod() == HttpMethod.HEAD) {
            return HttpResponse.ok().contentType(MediaType.of(NDJSON));
        }
        boolean descending = query.order() != Order.ASC;
        EgressExport lines = new EgressExport(
                after -> audit.list(
                        caller,
                        query.filter(),
                        new PageRequest(
                                LARGEST_PAGE,
                                after.map(EgressAuditController::position).orElse(null),
                                descending)),
                threads,
                exports.take(caller));
        lines.prepare();
        return HttpResponse.ok(new StreamedFile(lines, MediaType.of(NDJSON)));
    }

    @Get(value = "/stream", produces = MediaType.TEXT_EVENT_STREAM)
    @Operation(
            summary =
                    "Follow the requests of workloads as they arrive: events hello, event, heartbeat. Last-Event-ID goes on where another answer ended; hello says whether it does.",
            tag = TAG,
            query = EgressQueries.Followed.class,
            answer = EgressEvent.class,
            errors = Operation.QUOTA,
            media = MediaType.TEXT_EVENT_STREAM)
    HttpResponse<Publisher<Event<String>>> follow(HttpRequest<?> request, Caller caller) {
        EgressQueries.Followed query = BodyBinder.query(request.getParameters()::getAll, EgressQueries.Followed.class);
        reads.record(caller, "stream", query.filter());
        TailStream events = new TailStream(tail::wake);
        if (request.getMethod() == HttpMethod.HEAD) {
            events.end();
        } else {
            events.open(tail.follow(caller, query.filter(), request.getHeaders().get(LAST_EVENT_ID), events));
        }
        return events.toResponse();
    }
}
