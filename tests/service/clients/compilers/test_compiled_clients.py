"""Tests the clients that are generated from the OpenAPI document for TypeScript, Java, Go, Kotlin
and Swift.

Each program in `programs` is compiled with a generated client and calls the service of `make run`.
Two customers sign up. One of them polls until there is an offer, enters and exits. The other one
leaves.

If a generator does not understand some part of the document, it omits or renames something, and the
program does not compile. `make test-clients` installs the generators and says what else is needed.
"""

import os
import secrets
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.e2e.callers import Operator
from tests.e2e.processes import ROOT, Service, running_service
from tests.support.openapi import document_file
from tools.local.operator import local_operator
from tools.openapi_variants import GUESTS

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
MODULES = HERE / "node_modules"
MAVEN = Path.home() / ".m2/repository"
# What each program must print. The program reads the service's responses with the generated client.
JOURNEY = """\
ada signup: waiting at 1, true
ada look: offered, true
ada pass: 3 parts
ada pass again: 3 parts
ada exit: true
bob signup: waiting at 1, true
bob leave: left
ada by bob: forbidden
"""
# A policy that makes an offer every second. No offer expires during a test.
POLICY = {"rate": {"count": 60, "per": "minute"}, "offer_seconds": 3600, "pass_seconds": 3600}
INSTALL = {
    "node": "install Node.js 20 or newer",
    "java": "apt-get install openjdk-17-jdk-headless",
    "javac": "apt-get install openjdk-17-jdk-headless",
    "go": "apt-get install golang-go",
}
# The programs in docs/app/client.md, each with its expected output.
EXAMPLES = ROOT / "docs" / "app" / "examples"
STORY = "joined at 1\nentered with a pass of 3 parts\nexited\n"
# The generator's options, as docs/app/generated-clients.md gives them. If a value can have one of
# several types, the Kotlin and Java clients use the most general type.
CHOICES = ("Attributes_value", "BumpBody", "EditBody")
KOTLIN_MAPPINGS = ",".join(f"{name}=kotlin.Any" for name in CHOICES)
KOTLIN = ("kotlin", "--library", "jvm-okhttp4", "--schema-mappings", KOTLIN_MAPPINGS)
KOTLIN_OPTIONS = "packageName=waitlist,serializationLibrary=gson,omitGradleWrapper=true"
JAVA_CHOICES = ("Attributes_value", "Label", "Texts_value_value")
JAVA_MAPPINGS = ",".join(f"{name}=Object" for name in JAVA_CHOICES)
JAVA = ("java", "--library", "native", "--schema-mappings", JAVA_MAPPINGS)
JAVA_OPTIONS = (
    "openApiNullable=false,supportUrlQuery=false,invokerPackage=waitlist,"
    "apiPackage=waitlist.api,modelPackage=waitlist.model"
)

# The Kotlin compiler takes a minute on an idle machine, and up to five on a busy one.
pytestmark = pytest.mark.timeout(900)


def run(title: str, *command: str | Path, cwd: Path, **environ: str) -> str:
    print(f"{title} ...", flush=True)
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{title}: {command[0]} failed:\n{done.stdout}{done.stderr}"
    return done.stdout


def tool(name: str) -> str:
    path = shutil.which(name)
    assert path, f"{name} is missing: {INSTALL[name]}"
    return path


def generate(folder: Path, *generator: str, options: str) -> None:
    jars = list((ROOT / ".venv-clients").glob("lib/*/site-packages/openapi_generator_cli/*.jar"))
    assert jars, "openapi-generator is missing: run `make test-clients`, which installs it"
    run(
        f"generate the client for {generator[0]}",
        *(tool("java"), "-jar", jars[0], "generate", "-i", GUESTS, "-o", folder, "-g"),
        *generator,
        f"--additional-properties={options}",
        cwd=folder,
    )


def class_path(*more: Path) -> str:
    names = (HERE / "libraries.txt").read_text("utf-8").split()
    jars = {name: MAVEN / jar_of(name) for name in names}
    commands = [
        f"mvn dependency:get -Dartifact={name}" for name in names if not jars[name].exists()
    ]
    listed = "\n".join(commands)
    assert not commands, f"libraries of the generated clients are missing; get them with:\n{listed}"
    return os.pathsep.join(map(str, (*jars.values(), *more)))


def jar_of(artifact: str) -> Path:
    group, name, version = artifact.split(":")
    return Path(*group.split("."), name, version, f"{name}-{version}.jar")


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with running_service() as service:
        yield service


@pytest.fixture
def operator(service: Service) -> Iterator[Operator]:
    with httpx.Client(base_url=service.url, timeout=35, trust_env=False) as http:
        operator = Operator(http, local_operator(), f"clients-{secrets.token_hex(4)}")
        settings = {"name": "Clients", "segments": [["language"]], "admission": POLICY}
        answer = operator.put(settings)
        assert answer.status_code == 201, answer.text
        yield operator


@pytest.fixture
def journey(service: Service, operator: Operator) -> tuple[str, str]:
    return service.url, operator.waitlist_id


def check(printed: str, operator: Operator) -> None:
    assert printed == JOURNEY
    stats = operator.stats()
    assert [stats[name] for name in ("signed_up", "admitted", "left", "inside")] == [2, 1, 1, 0]


def typescript_folder(name: str) -> Path:
    """Create and return an empty folder for a TypeScript program. The folder is inside
    `node_modules`, so that the program finds its libraries.
    """
    folder = MODULES / ".generated" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    return folder


def compile_typescript(document: Path, folder: Path, *program: str) -> None:
    generator = MODULES / ".bin/openapi-typescript"
    run("generate types", generator, document, "-o", folder / "api.d.ts", cwd=HERE)
    options = ("--strict", "--target", "es2022", "--module", "esnext")
    resolution = ("--moduleResolution", "bundler")
    compiler = MODULES / ".bin/tsc"
    run("compile TypeScript", compiler, *options, *resolution, "api.d.ts", *program, cwd=folder)


@pytest.mark.parametrize("name", ["guests.json", "jwt.json"])
def test_types_for_typescript_compile(name: str, tmp_path: Path) -> None:
    compile_typescript(document_file(name), typescript_folder(tmp_path.name))


def test_typescript_customers(operator: Operator, journey: tuple[str, str], tmp_path: Path) -> None:
    folder = typescript_folder(tmp_path.name)
    shutil.copy(PROGRAMS / "journey.ts", folder)
    compile_typescript(GUESTS, folder, "journey.ts")
    check(run("call", tool("node"), "journey.js", *journey, cwd=folder), operator)


def run_kotlin(main: str, folder: Path, *sources: Path, arguments: tuple[str, str]) -> str:
    compiler, client = MODULES / "kotlin-compiler", folder / "client.jar"
    run(
        "compile Kotlin, which takes minutes",
        *("bash", compiler / "bin/kotlinc", "-nowarn", "-cp", class_path(), "-d", client),
        *sources,
        cwd=folder,
    )
    libraries = class_path(client, compiler / "lib/kotlin-stdlib.jar")
    return run("call", tool("java"), "-cp", libraries, main, *arguments, cwd=folder)


def test_kotlin_customers(operator: Operator, journey: tuple[str, str], tmp_path: Path) -> None:
    generate(tmp_path, *KOTLIN, options=KOTLIN_OPTIONS)
    sources = (tmp_path / "src/main/kotlin", PROGRAMS / "Journey.kt")
    check(run_kotlin("JourneyKt", tmp_path, *sources, arguments=journey), operator)


def test_java_customers(operator: Operator, journey: tuple[str, str], tmp_path: Path) -> None:
    generate(tmp_path, *JAVA, options=JAVA_OPTIONS)
    classes = tmp_path / "classes"
    sources = (tmp_path / "src/main/java").rglob("*.java")
    run(
        "compile Java",
        *(tool("javac"), "-nowarn", "-cp", class_path(), "-d", classes),
        *(*sources, PROGRAMS / "Journey.java"),
        cwd=tmp_path,
    )
    libraries = class_path(classes)
    printed = run("call", tool("java"), "-cp", libraries, "Journey", *journey, cwd=tmp_path)
    check(printed, operator)


def test_go_customers(operator: Operator, journey: tuple[str, str], tmp_path: Path) -> None:
    generate(tmp_path, "go", options="packageName=waitlist")
    # The generated tests need an extra library.
    shutil.rmtree(tmp_path / "test")
    # The generated `go.mod` names a library that the Go client does not need.
    (tmp_path / "go.mod").write_text("module waitlist\n\ngo 1.19\n", encoding="utf-8")
    (tmp_path / "go.sum").unlink()
    (tmp_path / "journey").mkdir()
    shutil.copy(PROGRAMS / "journey.go", tmp_path / "journey/main.go")
    build = (tool("go"), "build", "-o", "customers", "./journey")
    run("compile Go", *build, cwd=tmp_path, GOPROXY="off", GOTOOLCHAIN="local")
    check(run("call", tmp_path / "customers", *journey, cwd=tmp_path), operator)


def test_a_client_for_swift_compiles(tmp_path: Path) -> None:
    if shutil.which("swift") is None:
        pytest.skip("Swift is not tested: no `swift` on PATH (https://swift.org/install)")
    generate(tmp_path, "swift6", options="projectName=Waitlist")
    run("compile Swift", "swift", "build", cwd=tmp_path)


def test_the_documents_client_in_typescript(journey: tuple[str, str], tmp_path: Path) -> None:
    folder = typescript_folder(tmp_path.name)
    shutil.copy(EXAMPLES / "client.ts", folder)
    options = ("--strict", "--target", "es2022", "--module", "esnext", "client.ts")
    run("compile TypeScript", MODULES / ".bin/tsc", *options, cwd=folder)
    assert run("call", tool("node"), "client.js", *journey, cwd=folder) == STORY


def test_the_documents_client_in_kotlin(journey: tuple[str, str], tmp_path: Path) -> None:
    source = EXAMPLES / "Client.kt"
    assert run_kotlin("ClientKt", tmp_path, source, arguments=journey) == STORY


def test_the_documents_client_in_swift(journey: tuple[str, str], tmp_path: Path) -> None:
    if shutil.which("swiftc") is None:
        pytest.skip("Swift is not tested: no `swiftc` on PATH (https://swift.org/install)")
    client = tmp_path / "client"
    options = ("-parse-as-library", "-o", client)
    run("compile Swift", "swiftc", *options, EXAMPLES / "Client.swift", cwd=tmp_path)
    assert run("call", client, *journey, cwd=tmp_path) == STORY
