package io.loligo.server;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** A name says which type is meant, without its package. */
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
}
