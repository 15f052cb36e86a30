package dev.sallyport.server.record;

import java.util.ArrayList;
import java.util.List;

/** What a {@link RecordReader} has come across. Confined to the thread that reads. */
public final class ReadTally {

    /** How many unreadable lines are kept by name; all are counted. */
    public static final int NAMED = 100;

    private final List<UnreadableLine> named = new ArrayList<>();
    private long exchanges;
    private long others;
    private long unreadable;
    private long torn;

    ReadTally() {}

    void exchange() {
        exchanges++;
    }

    void other() {
        others++;
    }

    void unreadable(UnreadableLine line) {
        unreadable++;
        torn += line.torn() ? 1 : 0;
        if (named.size() < NAMED) {
            named.add(line);
        }
    }

    /** The number of records of exchanges. */
    public long exchanges() {
        return exchanges;
    }

    /** The number of other lines: JSON that is no record of an exchange, such as ordinary logs. Empty lines do not count. */
    public long others() {
        return others;
    }

    /** The number of lines that hold no usable record, torn ones included. */
    public long unreadable() {
        return unreadable;
    }

    /** The number of lines whose rest is missing. */
    public long torn() {
        return torn;
    }

    /** The first {@value #NAMED} unreadable lines, in the order in which they were read. */
    public List<UnreadableLine> named() {
        return List.copyOf(named);
    }
}
