package dev.sallyport.sandbox;

import java.util.Arrays;

/**
 * How far a task is, and a part of what it has written on its standard output and standard error. What a guest says of
 * itself: its root can make it say anything.
 *
 * @param state how far it is
 * @param offset where the part begins, in bytes since the task's start; greater than what was asked for where older output
 *     has been dropped
 * @param output the part; empty when there is nothing after that offset now. Of an ended task, nothing comes then. Owned by
 *     the receiver
 */
public record TaskReport(State state, long offset, byte[] output) {

    /** How far a task is. */
    public sealed interface State {

        /** It was not started since the VM was. */
        record Absent() implements State {}

        /** It runs. */
        record Running() implements State {}

        /**
         * It has ended.
         *
         * @param code its exit code; 128 and the number of the signal that ended it; 124 where its time was over
         */
        record Ended(int code) implements State {}
    }

    /** Of a task that was not started. */
    public static TaskReport absent() {
        return new TaskReport(new State.Absent(), 0, new byte[0]);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TaskReport report
                && state.equals(report.state)
                && offset == report.offset
                && Arrays.equals(output, report.output);
    }

    @Override
    public int hashCode() {
        return 31 * state.hashCode() + Long.hashCode(offset) + Arrays.hashCode(output);
    }

    @Override
    public String toString() {
        return "TaskReport[" + state + ", " + output.length + " bytes from " + offset + "]";
    }
}
