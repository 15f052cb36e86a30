package dev.sallyport.sandboxd.vm;

import dev.sallyport.sandboxd.system.HostProcess;
import dev.sallyport.sandboxd.wire.Lines;
import dev.sallyport.sandboxd.wire.Members;
import dev.sallyport.sandboxd.wire.WireException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Set;

/**
 * A run of a VM.
 *
 * @param process its first process
 * @param since when it was started
 */
public record RunRecord(HostProcess process, Instant since) {

    String toJson() {
        return Lines.object()
                .put("pid", process.pid())
                .put("start_ticks", process.startTicks())
                .put("since", since.toString())
                .toString();
    }

    static RunRecord parse(String text) throws WireException {
        Members members = Members.of(Lines.parse(text), Set.of("pid", "start_ticks", "since"));
        try {
            return new RunRecord(
                    new HostProcess(members.number("pid"), members.number("start_ticks")),
                    Instant.parse(members.text("since")));
        } catch (DateTimeException e) {
            throw new WireException("'since' is no time", e);
        }
    }
}
