package io.loligo.server;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Types are known by their names, and packages by their descriptions. */
class UniqueNamesTest {
  @Test
  void noTwoTypesHaveTheSameName() {
    Map<String, TreeSet<String>> packages =
        new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("io.loligo")
                .stream()
                .filter(type -> !type.isNestedClass())
                .filter(type -> !type.getSimpleName().equals("package-info"))
                .collect(
                    groupingBy(
                        JavaClass::getSimpleName,
                        mapping(JavaClass::getPackageName, toCollection(TreeSet::new))));
    packages.values().removeIf(names -> names.size() == 1);
    assertThat(packages).isEmpty();
  }

  @Test
  void everyPackageSaysWhatItIs() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of(".."))) {
      List<Path> sources =
          files
              .filter(file -> file.toString().endsWith(".java"))
              .filter(file -> file.toString().contains("/src/main/java/"))
              .toList();
      assertThat(sources).hasSizeGreaterThan(100);
      assertThat(sources.stream().map(Path::getParent).distinct())
          .allMatch(folder -> Files.exists(folder.resolve("package-info.java")));
    }
  }
}
