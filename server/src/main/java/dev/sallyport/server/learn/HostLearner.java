package dev.sallyport.server.learn;

import dev.sallyport.spi.Destination;
import dev.sallyport.toolkit.match.PathPattern;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The fewest rules for one host that allow each method only where it was seen. Ports are named only where they are not
 * those of HTTP: a rule without ports is for all of them.
 */
final class HostLearner {

    /** Stands for ports 80 and 443. */
    private static final int USUAL = 0;

    private final Destination destination;
    private final List<ObservedRequest> requests;
    private final Function<List<String>, LearnedPath> generalise;

    /** What a rule says of methods and paths; grows where readings of a path must agree. */
    private record Content(SortedSet<String> methods, SortedSet<LearnedPath> paths) {

        boolean matches(String path) {
            return paths.stream()
                    .anyMatch(pattern -> PathPattern.parse(pattern.pattern()).matches(path));
        }
    }

    private HostLearner(List<ObservedRequest> requests, Function<List<String>, LearnedPath> generalise) {
        this.destination = requests.getFirst().destination();
        this.requests = requests;
        this.generalise = generalise;
    }

    /**
     * The rules.
     *
     * @param requests all of one host, at least one
     * @param literal whether paths stay as they are; then all of them must be such as a pattern can hold
     */
    static List<LearnedRule> learn(List<ObservedRequest> requests, boolean literal) {
        if (literal) {
            return new HostLearner(requests, segments -> new LearnedPath(segments, Set.of())).rules();
        }
        PathTree tree = new PathTree();
        for (ObservedRequest request : requests) {
            if (!request.hostOnly() && !request.pathless()) {
                tree.add(request.segments());
                tree.add(request.literalSegments());
            }
        }
        return new HostLearner(requests, tree::pattern).rules();
    }

    private List<LearnedRule> rules() {
        NavigableMap<Integer, List<ObservedRequest>> byPort = new TreeMap<>();
        for (ObservedRequest request : requests) {
            byPort.computeIfAbsent(port(request), name -> new ArrayList<>()).add(request);
        }
        List<ObservedRequest> usual = byPort.getOrDefault(USUAL, List.of());
        if (usual.stream().anyMatch(ObservedRequest::hostOnly)) {
            return List.of(LearnedRule.wholeHost(destination, Set.of()));
        }
        List<Content> everyPort = contents(usual, List.of(), requests);
        Map<Content, SortedSet<Integer>> portsOf = new LinkedHashMap<>();
        List<LearnedRule> rules = new ArrayList<>();
        SortedSet<Integer> whole = new TreeSet<>();
        everyPort.forEach(content -> rules.add(rule(content, Set.of())));
        byPort.tailMap(USUAL, false).forEach((port, there) -> {
            if (there.stream().anyMatch(ObservedRequest::hostOnly)) {
                whole.add(port);
                return;
            }
            for (Content content : contents(there, everyPort, there)) {
                portsOf.computeIfAbsent(content, name -> new TreeSet<>()).add(port);
            }
        });
        if (!whole.isEmpty()) {
            rules.add(LearnedRule.wholeHost(destination, whole));
        }
        portsOf.forEach((content, ports) -> rules.add(rule(content, ports)));
        rules.sort(Comparator.comparing((LearnedRule rule) -> key(rule.rule().ports()))
                .thenComparing(rule -> key(rule.rule().methods()))
                .thenComparing(rule -> key(rule.rule().paths())));
        return rules;
    }

    /** Sorts a list before its continuations. */
    private static String key(List<?> values) {
        return values.stream().map(Object::toString).collect(Collectors.joining("\u0001"));
    }

    private static int port(ObservedRequest request) {
        int port = request.destination().port();
        return port == 80 || port == 443 ? USUAL : port;
    }

    private LearnedRule rule(Content content, Set<Integer> ports) {
        return LearnedRule.of(destination, ports, content.methods(), content.paths());
    }

    /**
     * What the rules of one port say, without what those for every port cover.
     *
     * @param concerned the requests that these rules judge
     */
    private List<Content> contents(
            List<ObservedRequest> there, List<Content> everyPort, List<ObservedRequest> concerned) {
        NeededPatterns patterns = new NeededPatterns();
        for (ObservedRequest request : there) {
            if (request.pathless()) {
                patterns.add(request.method(), request.path(), LearnedPath.EVERYTHING);
                continue;
            }
            patterns.add(request.method(), text(request.segments()), generalise.apply(request.segments()));
            if (request.hasEncodedSlash()) {
                List<String> segments = request.literalSegments();
                patterns.add(request.method(), text(segments), generalise.apply(segments));
            }
        }
        SortedMap<LearnedPath, SortedSet<String>> others = new TreeMap<>();
        everyPort.forEach(content -> content.paths()
                .forEach(path ->
                        others.computeIfAbsent(path, name -> new TreeSet<>()).addAll(content.methods())));
        Map<SortedSet<String>, SortedSet<LearnedPath>> byMethods = new LinkedHashMap<>();
        patterns.find(others)
                .forEach((path, methods) -> byMethods
                        .computeIfAbsent(methods, name -> new TreeSet<>())
                        .add(path));
        List<Content> contents = new ArrayList<>();
        byMethods.forEach((methods, paths) -> contents.add(new Content(methods, paths)));
        List<ObservedRequest> encoded =
                concerned.stream().filter(ObservedRequest::hasEncodedSlash).toList();
        if (!encoded.isEmpty()) {
            contents.forEach(content -> agree(encoded, content));
            drop(there, contents, everyPort);
        }
        return contents;
    }

    /**
     * Makes a rule give one verdict for both readings of an encoded slash: else the proxy refuses the request
     * (docs/spec/decisions.md, section 1). A pattern that is added for one request may match one reading of another.
     */
    private void agree(List<ObservedRequest> encoded, Content content) {
        List<ObservedRequest> judged = encoded.stream()
                .filter(request -> content.methods().contains(request.method()))
                .toList();
        boolean added = true;
        while (added) {
            added = false;
            for (ObservedRequest request : judged) {
                boolean decoded = content.matches(text(request.segments()));
                boolean literal = content.matches(text(request.literalSegments()));
                if (decoded != literal) {
                    List<String> other = decoded ? request.literalSegments() : request.segments();
                    added |= content.paths().add(generalise.apply(other));
                }
            }
        }
    }

    /** Takes out rules that are not needed since others got further patterns. */
    private static void drop(List<ObservedRequest> there, List<Content> contents, List<Content> everyPort) {
        for (int i = contents.size() - 1; i >= 0; i--) {
            List<Content> rest = new ArrayList<>(everyPort);
            rest.addAll(contents);
            rest.remove(everyPort.size() + i);
            if (there.stream().allMatch(request -> allows(rest, request))) {
                contents.remove(i);
            }
        }
    }

    private static boolean allows(List<Content> contents, ObservedRequest request) {
        String path = request.pathless() ? request.path() : text(request.segments());
        return contents.stream()
                .anyMatch(content -> content.methods().contains(request.method()) && content.matches(path));
    }

    /** A decoded path; slashes inside of segments are none. */
    private static String text(List<String> segments) {
        return segments.stream()
                .map(segment -> segment.replace('/', '\uFFFF'))
                .collect(Collectors.joining("/", "/", ""));
    }
}
