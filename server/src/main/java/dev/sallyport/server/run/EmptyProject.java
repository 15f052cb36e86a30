package dev.sallyport.server.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A folder that is a project of several package managers and has nothing in it: they look no further, neither into the
 * project in which the program runs nor into folders above this one, where anybody could have put something. It is
 * deleted at the end.
 */
final class EmptyProject implements AutoCloseable {

    private static final List<String> FOLDERS = List.of(".mvn", "node_modules");
    private static final String NODE = "package.json";
    private static final String GO = "go.mod";

    private final Path folder;

    private EmptyProject(Path folder) {
        this.folder = folder;
    }

    static EmptyProject create() throws IOException {
        EmptyProject project = new EmptyProject(Files.createTempDirectory("sallyport-empty-"));
        for (String name : FOLDERS) {
            Files.createDirectory(project.folder.resolve(name));
        }
        Files.writeString(project.folder.resolve(NODE), "{}\n");
        Files.writeString(project.folder.resolve(GO), "module empty\n");
        return project;
    }

    Path folder() {
        return folder;
    }

    @Override
    public void close() throws IOException {
        RunFolder.delete(folder);
    }
}
