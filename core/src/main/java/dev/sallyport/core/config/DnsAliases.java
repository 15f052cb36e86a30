package dev.sallyport.core.config;

import dev.sallyport.core.config.DnsSection.RecordType;
import dev.sallyport.core.config.DnsSection.StaticRecord;
import dev.sallyport.spi.Problems;
import dev.sallyport.toolkit.match.Hosts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Checks the CNAMEs among the static records: an alias has no other records (RFC 1034, 3.6.2), and chains end. */
final class DnsAliases {

    /**
     * An alias.
     *
     * @param index of its record
     */
    private record Link(int index, String target) {}

    private final Map<String, Link> links = new LinkedHashMap<>();
    private final Problems problems;

    private DnsAliases(Problems problems) {
        this.problems = problems;
    }

    static void check(List<StaticRecord> records, Problems problems) {
        DnsAliases aliases = new DnsAliases(problems);
        aliases.collect(records);
        Set<String> round = aliases.checkRounds();
        aliases.checkLengths(round);
    }

    private void collect(List<StaticRecord> records) {
        Set<String> taken = new HashSet<>();
        for (int i = 0; i < records.size(); i++) {
            StaticRecord entry = records.get(i);
            if (!StaticRecord.isName(entry.name())) {
                continue;
            }
            String name = Hosts.canonical(entry.name());
            boolean alias = entry.type() == RecordType.CNAME;
            if (alias ? taken.contains(name) : links.containsKey(name)) {
                problems.add("/records/" + i, "a CNAME next to another record of its name", "only one of them");
            } else if (alias && StaticRecord.isName(entry.value())) {
                links.put(name, new Link(i, Hosts.canonical(entry.value())));
            }
            taken.add(name);
        }
    }

    /** Reports each cycle once, at its first record; returns every name that leads into one. */
    private Set<String> checkRounds() {
        Map<String, Boolean> known = new HashMap<>(); // whether a name leads into a cycle
        for (String name : links.keySet()) {
            List<String> path = new ArrayList<>();
            Set<String> seen = new HashSet<>();
            String at = name;
            Link link = links.get(at);
            while (link != null && !known.containsKey(at) && seen.add(at)) {
                path.add(at);
                at = link.target();
                link = links.get(at);
            }
            int begin = path.indexOf(at);
            if (begin >= 0) {
                tell(path.subList(begin, path.size()));
            }
            boolean round = begin >= 0 || known.getOrDefault(at, false);
            path.forEach(each -> known.put(each, round));
        }
        known.values().removeIf(round -> !round);
        return known.keySet();
    }

    private void tell(List<String> round) {
        int index = Integer.MAX_VALUE;
        for (String name : round) {
            Link link = links.get(name);
            index = link == null ? index : Math.min(index, link.index());
        }
        problems.add(
                "/records/" + index,
                "a cycle of CNAMEs: " + String.join(" -> ", round) + " -> " + round.get(0),
                "a CNAME that leads to an A record, or to a name that is not in the list");
    }

    /** Reports a chain that is too long once, at its first record. */
    private void checkLengths(Set<String> round) {
        Set<String> targets = new HashSet<>();
        links.values().forEach(link -> targets.add(link.target()));
        links.forEach((name, link) -> {
            int length = round.contains(name) || targets.contains(name) ? 0 : length(name);
            if (length > DnsSection.MAX_LINKS) {
                problems.add(
                        "/records/" + link.index(),
                        "a chain of " + length + " CNAMEs that begins at " + name,
                        "at most " + DnsSection.MAX_LINKS);
            }
        });
    }

    private int length(String from) {
        int length = 0;
        for (Link link = links.get(from); link != null; link = links.get(link.target())) {
            length++;
        }
        return length;
    }
}
