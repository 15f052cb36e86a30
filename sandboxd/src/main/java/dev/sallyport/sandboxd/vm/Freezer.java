package dev.sallyport.sandboxd.vm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The files of a group that let it stand still, in either version. */
record Freezer(Path group) {

    static final String FIRST = "freezer.state";
    private static final String SECOND = "cgroup.freeze";

    static boolean isIn(Path group) {
        return Files.exists(group.resolve(FIRST)) || Files.exists(group.resolve(SECOND));
    }

    private boolean isFirst() {
        return Files.exists(group.resolve(FIRST));
    }

    void write(boolean frozen) throws IOException {
        if (isFirst()) {
            Files.writeString(group.resolve(FIRST), frozen ? "FROZEN" : "THAWED");
        } else {
            Files.writeString(group.resolve(SECOND), frozen ? "1" : "0");
        }
    }

    boolean isFrozen() throws IOException {
        return isFirst()
                ? "FROZEN".equals(Files.readString(group.resolve(FIRST)).strip())
                : Files.readAllLines(group.resolve("cgroup.events")).contains("frozen 1");
    }
}
