package dev.sallyport.server.management;

import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.toolkit.match.HostGlobs;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@code GET /v1/audit/recent}. */
final class RecentAuditRoute implements Route {

    private static final int MOST = 1000;
    private static final int UNLESS_SAID = 100;
    private static final Set<String> PARAMETERS = Set.of("host", "action", "workload", "limit", "follow");
    private static final Set<String> ACTIONS = Arrays.stream(AuditRecord.Action.values())
            .map(AuditRecord.Action::text)
            .collect(Collectors.toSet());
    private static final byte[] BEFORE = "{\"data\":[".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] AFTER = "]}".getBytes(StandardCharsets.US_ASCII);

    private final RecentAudit recent;

    RecentAuditRoute(RecentAudit recent) {
        this.recent = recent;
    }

    @Override
    public String method() {
        return "GET";
    }

    @Override
    public String path() {
        return "/v1/audit/recent";
    }

    @Override
    public ApiResponse answer(ApiRequest request) throws ApiException {
        request.allowParameters(PARAMETERS);
        Predicate<RecentAudit.Entry> filter = filter(request);
        boolean follow = follow(request.parameter("follow"));
        int limit = limit(request.parameter("limit"), follow ? 0 : UNLESS_SAID);
        return follow
                ? new ApiResponse.Events(sink -> recent.follow(filter, limit, sink))
                : ApiResponse.json(200, list(recent.newest(filter, limit)));
    }

    private static Predicate<RecentAudit.Entry> filter(ApiRequest request) throws ApiException {
        String host = request.parameter("host");
        String action = request.parameter("action");
        String workload = request.parameter("workload");
        Predicate<String> hosts = host == null ? any -> true : hosts(host);
        if (action != null && !ACTIONS.contains(action)) {
            throw ApiException.invalid(
                    "action",
                    "unknown value (expected: "
                            + String.join(", ", ACTIONS.stream().sorted().toList()) + ")");
        }
        return entry -> hosts.test(entry.host())
                && (action == null || action.equals(entry.action()))
                && (workload == null || workload.equals(entry.workload()));
    }

    /** As in rules: a name is a pattern too. */
    private static Predicate<String> hosts(String glob) throws ApiException {
        List<String> wrong = new ArrayList<>(1);
        HostGlobs globs = HostGlobs.compile(
                List.of(glob),
                (pointer, message, expected) -> wrong.add(message + " (expected: " + expected + ")"),
                "");
        if (!wrong.isEmpty()) {
            throw ApiException.invalid("host", wrong.getFirst());
        }
        return globs::matches;
    }

    private static boolean follow(@Nullable String given) throws ApiException {
        if (given == null || given.equals("false")) {
            return false;
        }
        if (given.equals("true")) {
            return true;
        }
        throw ApiException.invalid("follow", "not a boolean (expected: true or false)");
    }

    private static int limit(@Nullable String given, int unlessSaid) throws ApiException {
        if (given == null) {
            return unlessSaid;
        }
        try {
            int limit = Integer.parseInt(given);
            if (limit >= 1 && limit <= MOST) {
                return limit;
            }
        } catch (NumberFormatException e) {
            throw ApiException.invalid("limit", "not a number (expected: 1 to " + MOST + ")")
                    .because(e);
        }
        throw ApiException.invalid("limit", "out of range (expected: 1 to " + MOST + ")");
    }

    private static byte[] list(List<RecentAudit.Entry> entries) {
        ByteArrayOutputStream body = new ByteArrayOutputStream(1024);
        body.writeBytes(BEFORE);
        for (int i = 0; i < entries.size(); i++) {
            if (i > 0) {
                body.write(',');
            }
            body.writeBytes(entries.get(i).line());
        }
        body.writeBytes(AFTER);
        return body.toByteArray();
    }
}
