"""Errors by communities with --engine petsc: the groups of one machine, wherever their members
are."""

import random
import unittest

from together import RanksTest, on_ranks


class Communities(RanksTest):
    estimators = "dm_ols2,dr_ridge,network_dm"

    def write_groups(self, groups=40, members=6, ties_between=25, scattered=False):
        """Everybody knows their group and shares its luck; whole groups are treated. Ids are in
        another order than lines."""
        draw = random.Random(5)
        names = [f"p{k}" for k in draw.sample(range(10 * groups * members), groups * members)]
        rows, ties = [], []
        for g in range(groups):
            luck, arm = draw.gauss(0, 1), g % 2
            own = names[g * members:(g + 1) * members]
            for i, name in enumerate(own):
                x = draw.gauss(0, 1)
                outcome = x + 0.5 * arm + luck + draw.gauss(0, 0.3)
                rows.append(f"{name},{arm},{outcome!r},{x!r}\n")
                ties += [f"{name},{other}\n" for other in own[:i]]
        ties += ["{},{}\n".format(*draw.sample(names, 2)) for _ in range(ties_between)]
        if scattered:
            draw.shuffle(rows)
        self.write("nodes.csv", "id,treatment,outcome,x\n" + "".join(rows))
        self.write("edges.csv", "source,target\n" + "".join(ties))

    def test_groups_decide_the_interval(self):
        self.write_groups()
        expected = self.compare(self.folder, "--policy", "treat-all", "treat-none")
        self.assertEqual(expected["treat-all dm_ols2 dependence"], "clusters")
        self.assertGreater(expected["treat-all dm_ols2 by clusters"],
                           1.5 * expected["treat-all dm_ols2 by independent"])

    def test_members_anywhere_and_units_who_move(self):
        self.write_groups(scattered=True)
        expected = self.compare(self.folder, "--policy", "treat-all", ranks=[4],
                                together=["--partition", "none"])
        self.assertEqual(expected["treat-all dm_ols2 dependence"], "clusters")
        self.compare(self.folder, "--policy", "treat-all", ranks=[3],
                     together=["--partition", "scotch"])

    def test_groups_that_are_asked_for(self):
        self.write_groups()
        expected = self.compare(self.folder, "--policy", "treat-all", "--dependence", "clusters",
                                "--target", "population", ranks=[2, 7])
        self.assertEqual(expected["treat-all dr_ridge dependence"], "clusters")

    def test_groups_that_many_ties_leave_are_refused_as_on_one_machine(self):
        self.write_groups(ties_between=600)
        expected = self.compare(self.folder, "--policy", "treat-all", ranks=[3])
        self.assertIn("treat-all dm_ols2 by clusters", expected)
        self.assertNotEqual(expected["treat-all dm_ols2 dependence"], "clusters")

    def test_nothing_is_said_to_be_missing(self):
        self.write_groups()
        run = on_ranks(2, "evaluate", self.folder, "--policy", "treat-all", "--engine", "petsc",
                       "--estimators", "dm_ols2")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertNotIn("communities", run.stdout + run.stderr)


if __name__ == "__main__":
    unittest.main()
