# json_rules.pl FORMAT FILE: does a file keep its format's rules? Prints what
# is wrong. FORMAT: results (docs/results.md), gradescope (its autograder
# specification), classroom50 (its result/v1), prairielearn (results.json of its
# docs/externalGrading.md), prairielearn_info (infoQuestion.json, its schema),
# devcontainer (schemas/devContainer.base.schema.json of devcontainers/spec) or tasks
# (VS Code's reference/tasks-appendix). Of these what the files here use is known;
# another member is taken for a mistake.
use strict;
use warnings;
use JSON::PP;

my ($format, $file) = @ARGV;
my @wrong;

sub need
{
    my ($good, $what) = @_;
    push @wrong, $what unless $good;
}
sub is_number { return defined $_[0] && !ref $_[0] && $_[0] =~ /^-?[\d.eE+-]+$/ }
sub is_whole  { return defined $_[0] && !ref $_[0] && $_[0] =~ /^\d+$/ }
sub is_bool   { return JSON::PP::is_bool($_[0]) }
sub is_text   { return defined $_[0] && !ref $_[0] }
sub is_one_of { my $v = shift; return defined $v && grep { $_ eq $v } @_ }

# Numbers must not be in quotes; what JSON::PP read as a string has a PV only.
sub is_json_number
{
    my $text = JSON::PP->new->allow_nonref->encode($_[0] // 'x');
    return $text =~ /^-?\d/;
}

sub known_keys
{
    my ($object, $where, @keys) = @_;
    my %known = map { $_ => 1 } @keys;
    need($known{$_}, "$where: unknown member $_") for keys %$object;
}

my @when = qw(hidden after_due_date after_published visible);

sub gradescope
{
    my $all = shift;
    known_keys($all, 'top', qw(score execution_time output output_format
        test_output_format test_name_format visibility stdout_visibility
        extra_data tests leaderboard));
    need(is_json_number($all->{score}) && $all->{score} >= 0, 'top: score');
    need(is_json_number($all->{execution_time}), 'execution_time');
    need(is_text($all->{output}), 'top: output');
    need(is_one_of($all->{visibility}, @when), 'top: visibility');
    need(is_one_of($all->{stdout_visibility}, @when), 'stdout_visibility');
    my $sum = 0;
    for my $test (@{$all->{tests}}) {
        known_keys($test, 'test', qw(score max_score status name name_format
            number output output_format tags visibility extra_data));
        need(is_json_number($test->{$_}), "test: $_") for qw(score max_score);
        need($test->{score} <= $test->{max_score}, 'test: above its maximum');
        need(is_one_of($test->{status}, qw(passed failed)), 'test: status');
        need(is_one_of($test->{output_format},
            qw(text html simple_format md ansi)), 'test: output_format');
        need(is_one_of($test->{visibility}, @when), 'test: visibility');
        need(is_text($test->{$_}) , "test: $_") for qw(name number output);
        need(length $test->{name}, 'test: no name');
        $sum += $test->{score};
    }
    need(abs($sum - $all->{score}) < 1e-6, 'the score is not the sum');
}

sub classroom50
{
    my $all = shift;
    my @needed = qw(schema classroom assignment assignment_type owner submission
        commit release review datetime score max-score tests);
    known_keys($all, 'top', @needed, qw(graded_at submitted_by));
    need(exists $all->{$_}, "top: no $_") for @needed;
    need($all->{schema} eq 'classroom50/result/v1', 'schema');
    need(is_text($all->{$_}) && length $all->{$_}, "top: $_")
        for qw(classroom assignment owner commit release review);
    need(is_one_of($all->{assignment_type}, qw(individual group)), 'type');
    need($all->{submission} =~ m{^submit/}, 'submission');
    need($all->{datetime} =~ /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, 'datetime');
    my ($sum, $most) = (0, 0);
    for my $test (@{$all->{tests}}) {
        need(is_text($test->{'test-name'}) && length $test->{'test-name'},
            'test-name');
        need(is_bool($test->{passed}), 'test: passed');
        need(is_whole($test->{$_}) && is_json_number($test->{$_}), "test: $_")
            for qw(score max-score);
        need($test->{score} <= $test->{'max-score'}, 'above its maximum');
        $sum += $test->{score};
        $most += $test->{'max-score'};
    }
    need(is_whole($all->{score}) && $all->{score} == $sum, 'score');
    need(is_whole($all->{'max-score'}) && $all->{'max-score'} == $most, 'max');
}

sub prairielearn
{
    my $all = shift;
    need(is_bool($all->{gradable}), 'gradable');
    if (!$all->{gradable}) {
        need(ref $all->{format_errors} eq 'ARRAY' && @{$all->{format_errors}},
            'format_errors');
        return;
    }
    need(is_json_number($all->{score}) && $all->{score} >= 0 &&
        $all->{score} <= 1, 'score');
    need(is_text($all->{output}), 'output');
    for my $test (@{$all->{tests}}) {
        known_keys($test, 'test', qw(name description points max_points message
            output images));
        need(is_text($test->{name}) && length $test->{name}, 'test: name');
        need(is_json_number($test->{$_}), "test: $_") for qw(points max_points);
        need($test->{points} <= $test->{max_points}, 'above its maximum');
        need(is_text($test->{message}), 'test: message');
    }
}

sub prairielearn_info
{
    my $all = shift;
    known_keys($all, 'top', qw(comment uuid type title topic tags clientFiles
        clientTemplates template gradingMethod singleVariant showCorrectAnswer
        partialCredit options externalGradingOptions dependencies
        workspaceOptions sharingSets sharePublicly shareSourcePublicly));
    need($all->{uuid} =~ /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'uuid');
    need(is_one_of($all->{type}, qw(Calculation MultipleChoice Checkbox File
        MultipleTrueFalse v3)), 'type');
    need(is_text($all->{$_}) && length $all->{$_}, $_) for qw(title topic);
    need(is_one_of($all->{gradingMethod}, qw(Internal External Manual)),
        'gradingMethod');
    my $how = $all->{externalGradingOptions};
    known_keys($how, 'options', qw(comment enabled image entrypoint
        serverFilesCourse timeout enableNetworking environment));
    need(is_text($how->{$_}) && length $how->{$_}, $_) for qw(image entrypoint);
    need(ref $how->{serverFilesCourse} eq 'ARRAY', 'serverFilesCourse');
    need(is_whole($how->{timeout}) && $how->{timeout} <= 600, 'timeout');
    need(is_bool($how->{$_}), $_) for qw(enabled enableNetworking);
}

sub is_command { return is_text($_[0]) || ref $_[0] eq 'ARRAY' }

sub devcontainer
{
    my $all = shift;
    known_keys($all, 'top', qw($schema name build image forwardPorts mounts
        containerEnv remoteEnv containerUser remoteUser onCreateCommand
        postCreateCommand postStartCommand runArgs customizations features
        hostRequirements workspaceFolder workspaceMount shutdownAction));
    need(is_text($all->{name}) && length $all->{name}, 'name');
    need(exists $all->{build} != exists $all->{image}, 'build or image');
    known_keys($all->{build}, 'build', qw(dockerfile context target args cacheFrom
        options));
    need(is_text($all->{build}{$_}), "build: $_") for qw(dockerfile context);
    need(!exists $all->{$_} || is_command($all->{$_}), $_)
        for qw(onCreateCommand postCreateCommand postStartCommand);
    need(ref $all->{customizations} eq 'HASH', 'customizations');
    need(is_text($_) && m{^[\w-]+\.[\w-]+$}, "extension $_")
        for @{$all->{customizations}{vscode}{extensions}};
}

sub tasks
{
    my $all = shift;
    my %seen;
    known_keys($all, 'top', qw(version tasks inputs));
    need($all->{version} eq '2.0.0', 'version');
    for my $task (@{$all->{tasks}}) {
        known_keys($task, 'task', qw(label detail type command args group options
            presentation problemMatcher isBackground runOptions dependsOn));
        need(is_text($task->{label}) && !$seen{$task->{label}}++, 'task: label');
        need(is_one_of($task->{type}, qw(shell process)), 'task: type');
        need(is_text($task->{command}) && length $task->{command}, 'command');
        my $group = $task->{group} // 'none';
        $group = $group->{kind} if ref $group;
        need(is_one_of($group, qw(build test none)), 'group');
        my $matcher = $task->{problemMatcher};
        need(ref $matcher eq 'ARRAY' || is_one_of($matcher, '$gcc'), 'matcher');
    }
}

sub results
{
    my $all = shift;
    need($all->{schema} eq 'cuda-streams-lab/results/1', 'schema');
    need($all->{created} =~ /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, 'created');
    need($all->{labs_total} == @{$all->{labs}}, 'labs_total');
    need($all->{labs_graded} == grep({ $_->{graded} } @{$all->{labs}}),
        'labs_graded');
    for my $lab (@{$all->{labs}}) {
        need(is_bool($lab->{graded}) && exists $lab->{error}, 'lab: graded');
        next unless $lab->{graded};
        need(exists $lab->{$_}, "lab: no $_") for qw(lab file backend device
            version passed score max_score eta speedup bound_speedup needed_speedup
            seconds graded_at checks);
        for my $check (@{$lab->{checks}}) {
            need(exists $check->{$_}, "check: no $_") for qw(name passed tried
                score max_score line diagnosis diagnosis_id read);
            need(is_bool($check->{$_}), "check: $_") for qw(passed tried);
        }
    }
}

open my $in, '<:raw', $file or die "$file: $!\n";
my $text = do { local $/; <$in> };
my $all = decode_json($text);    # strict, and UTF-8
{ no strict 'refs'; &{"main::$format"}($all); }
print "$_\n" for @wrong;
exit(@wrong ? 1 : 0);
