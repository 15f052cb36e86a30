package dev.sallyport.server.plugin;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipFile;

/**
 * A place that holds one plug-in: a folder of jars, or a jar by itself.
 *
 * @param place the folder or the jar
 * @param jars sorted by name, at least one
 */
record PluginFolder(Path place, List<Path> jars) {

    /** The plug-ins in the folder {@code plugins}, sorted by name; none if the folder does not exist. Blocks. */
    static List<PluginFolder> in(Path plugins, List<String> problems) {
        List<PluginFolder> found = new ArrayList<>();
        for (Path entry : entries(plugins, problems)) {
            if (isJar(entry)) {
                found.add(new PluginFolder(entry, List.of(entry)));
            } else if (Files.isDirectory(entry)
                    && !entry.getFileName().toString().startsWith(".")) {
                List<Path> jars = entries(entry, problems).stream()
                        .filter(PluginFolder::isJar)
                        .toList();
                if (jars.isEmpty()) {
                    problems.add(entry + ": it has no jar (expected: the jars of a plug-in)");
                } else {
                    found.add(new PluginFolder(entry, jars));
                }
            }
        }
        return found;
    }

    private static List<Path> entries(Path folder, List<String> problems) {
        List<Path> entries = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder)) {
            stream.forEach(entries::add);
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException e) {
            problems.add(folder + ": cannot be read (expected: a folder that this user may read)");
        }
        entries.sort(null);
        return entries;
    }

    private static boolean isJar(Path file) {
        return file.getFileName().toString().endsWith(".jar") && Files.isRegularFile(file);
    }

    /** Whether every jar can be opened: a class loader silently skips one that cannot. */
    boolean intact(List<String> problems) {
        int before = problems.size();
        for (Path jar : jars) {
            try {
                new ZipFile(jar.toFile()).close();
            } catch (IOException e) {
                problems.add(jar + ": cannot be opened (expected: a jar)");
            }
        }
        return problems.size() == before;
    }

    List<URL> urls() {
        List<URL> urls = new ArrayList<>();
        for (Path jar : jars) {
            try {
                urls.add(jar.toUri().toURL());
            } catch (MalformedURLException e) {
                throw new IllegalStateException(e);
            }
        }
        return urls;
    }
}
